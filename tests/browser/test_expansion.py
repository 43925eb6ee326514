"""Board, tree and charts: the tree folds by click and by keys, selects everywhere, and is there at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.conftest import ask

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

ROW = ".tree-row"


def to_tree(page: Page) -> None:
    page.click("[data-view-tab=tree]")
    page.wait_for_selector(f"{ROW}[data-id]")


def row(page: Page, node: str) -> Locator:
    return page.locator(f'{ROW}[data-id="{node}"]')


def focused(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.dataset.id || document.activeElement.className")
    return found


def close_branch(page: Page) -> str:
    """The first node whose children are shown, folded."""
    branch = page.locator(f"{ROW}[data-id][aria-expanded=true]").first
    node = branch.get_attribute("data-id")
    assert node is not None
    branch.locator(".tree-fold").click()
    page.wait_for_selector(f'{ROW}[data-id="{node}"][aria-expanded=false]')
    return node


def test_a_branch_folds_by_click_and_keys_go_through_what_is_open(case: Page) -> None:
    to_tree(case)
    assert case.locator(".tree-question").inner_text().startswith("Can a manager with limited authority")
    node = close_branch(case)
    after = row(case, node).locator("xpath=following-sibling::li[1]")
    assert after.get_attribute("aria-level") == row(case, node).get_attribute("aria-level")
    row(case, node).focus()
    case.keyboard.press("ArrowRight")
    case.wait_for_selector(f'{ROW}[data-id="{node}"][aria-expanded=true] + {ROW}[aria-level="3"]')
    case.keyboard.press("ArrowRight")
    child = focused(case)
    assert row(case, child).get_attribute("aria-level") == "3"
    case.keyboard.press("ArrowLeft")
    assert focused(case) == node
    case.keyboard.press("ArrowLeft")
    assert row(case, node).get_attribute("aria-expanded") == "false"
    case.keyboard.press("Home")
    assert "tree-question" in focused(case)
    case.keyboard.press("ArrowDown")
    assert focused(case) == case.locator(f"{ROW}[data-id]").first.get_attribute("data-id")
    case.keyboard.press("End")
    assert case.evaluate("document.activeElement === [...document.querySelectorAll('.tree-row')].at(-1)")
    # One row alone is reached by the tab key.
    assert case.locator(f"{ROW}[tabindex='0']").count() == 1


def test_what_is_chosen_in_the_tree_is_chosen_everywhere_and_the_other_way_round(case: Page) -> None:
    to_tree(case)
    branch = case.locator(f"{ROW}[data-id][aria-expanded=true]").first
    child = branch.locator("xpath=following-sibling::li[1]")
    node, parent = child.get_attribute("data-id"), branch.get_attribute("data-id")
    child.focus()
    case.keyboard.press("Enter")
    case.wait_for_selector("#passages .card.on")
    members = case.locator("#passages .card.on").get_attribute("data-members") or ""
    assert node in members.split("\n")
    assert case.evaluate("redstring.state.selected") == node
    assert row(case, node or "").get_attribute("aria-selected") == "true"
    assert "via" in (row(case, parent or "").get_attribute("class") or "")
    count = branch.locator(".tree-below").inner_text()
    branch.click()
    # What was told of the child stands there until then.
    told = "count => document.querySelector('.tree-told').innerText.includes(`: ${count} passage`)"
    case.wait_for_function(told, arg=count)
    assert case.locator(f"{ROW}.from").count() >= 1
    # From a card: the tree opens the way to it.
    card = case.locator("#ranked .card").nth(9)
    card.click()
    wanted = card.get_attribute("data-id")
    case.wait_for_selector(f'{ROW}[data-id="{wanted}"][aria-selected=true]')


def test_a_passage_without_a_card_and_without_a_dot_gets_one_from_the_tree(page: Page) -> None:
    page.locator("#depth label", has_text="Detective").click()
    ask(page)
    to_tree(page)
    more = page.locator(".tree-more").last
    before = page.locator(ROW).count()
    more.click()
    page.wait_for_function("count => document.querySelectorAll('.tree-row').length > count", arg=before)
    hidden = page.evaluate(
        """() => {
            const known = new Set(redstring.state.data.nodes.map(node => node.id));
            document.querySelectorAll("#passages .card").forEach(card =>
                card.dataset.members.split("\\n").forEach(id => known.add(id)));
            return [...document.querySelectorAll(".tree-row[data-id]")].map(row => row.dataset.id)
                .find(id => !known.has(id));
        }"""
    )
    assert hidden
    row(page, hidden).click()
    page.wait_for_selector("#peek .card.on")
    assert page.locator("#peek .card.on").get_attribute("data-id") == hidden
    assert page.locator("#peek .card .why").inner_text()
    assert int(page.locator("[data-view-count]").inner_text().split()[0]) > 300


def test_the_tab_in_front_goes_along_with_a_case(page: Page) -> None:
    page.click("[data-view-tab=tree]")
    assert page.locator(".views-waiting").first.is_visible()
    page.evaluate(
        """() => {
            window.steps = [];
            const holder = document.querySelector("[data-views=tree]");
            new MutationObserver(() => {
                const words = holder.querySelector(".tree-question small");
                if (words) steps.push(parseInt(words.textContent));
            }).observe(holder, { childList: true });
        }"""
    )
    page.locator("#depth label", has_text="Detective").click()
    ask(page)
    page.wait_for_selector(f"{ROW}[data-id]")
    steps: list[int] = page.evaluate("steps")
    assert steps == sorted(steps), "it only grows"
    assert f"{steps[-1]:,} in the tree" == page.locator("[data-view-count]").inner_text()
    # What is dismissed stays in the tree: it led to others.
    page.locator("#ranked .card").nth(1).click()
    page.locator("#ranked .card.on [data-act=dismiss]").first.click()
    page.wait_for_selector(f"{ROW}[data-id]")
    # Another question begins with nothing.
    ask(page, "zzyzx")
    page.wait_for_function("!document.querySelector('.tree-row[data-kind=passage]')")
