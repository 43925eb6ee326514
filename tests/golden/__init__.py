"""The bytes that users and programs meet, as they are today.

``python -m tests.golden.rewrite`` writes them again; commit the difference with the change that makes it.
"""
