"""Plots of an evaluation, one a file, and all of them as files that need nothing else."""

from engine.evaluation.plots.files import all_plots, write_plots

__all__ = ["all_plots", "write_plots"]
