"""Runs the cells of a notebook in this process, as Jupyter would, and prints as JSON what it calls answer.

run_notebook.py NOTEBOOK
"""

import ast
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
names = {"__name__": "__main__"}
for number, cell in enumerate(cells):
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]), "cell %d" % number)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell %d" % number, "exec"), names)
    if last is None:
        continue
    value = eval(compile(ast.Expression(last.value), "cell %d" % number, "eval"), names)
    html = getattr(value, "_repr_html_", None)
    if not (html() if html else repr(value)):
        sys.exit("cell %d shows nothing" % number)
json.dump(names["answer"], sys.stdout)
