"""Makes the menu of the site from docs/index.md: a line that ends with a colon is a group, the links below it its pages."""

import pathlib
import re


def on_config(config):
    menu, group = [{"Tabard": "index.md"}], None
    for line in pathlib.Path(config.docs_dir, "index.md").read_text().splitlines():
        if line.endswith(":") and not line.startswith("-"):
            group = []
            menu.append({line.split(",")[0].rstrip(":"): group})
        for title, page in re.findall(r"\[([^]]+)\]\(([^)#]+\.md)\)", line):
            group.append({title: page})
    config.nav = menu
    return config


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri == "functions.md":  # a list of names with their parameters, larger than all the rest
        page.meta["search"] = {"exclude": True}
    if "](../" in markdown:
        # Files of the source that are not part of the site.
        markdown = re.sub(r"\]\(\.\./([^)]+)\)", "](https://github.com/tabard-hpc/tabard/blob/main/\\1)", markdown)
    return re.sub(r"\]\(schema\)", "](json.md)", markdown)
