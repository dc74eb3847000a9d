"""Progress bars: one line in a terminal, a <progress> element in a notebook, silence elsewhere."""
import sys
import time

_DELAY = 2.0  # seconds before a bar appears
_EVERY = 0.1  # seconds between two drawings


class Bar:
    """A progress bar of one call. `show` None draws where a person is looking."""

    def __init__(self, show=None):
        self.notebook = "IPython" in sys.modules and _in_notebook()
        self.show = show if show is not None else self.notebook or sys.stderr.isatty()
        self.started = time.monotonic()
        self.drawn, self.width, self.display = 0.0, 0, None

    def update(self, phase, done, total):
        now = time.monotonic()
        if self.show and now - self.started > _DELAY and now - self.drawn > _EVERY:
            self.drawn = now
            share = min(done / total, 1.0) if total else None
            (self._draw_notebook if self.notebook else self._draw)(phase, share)

    def _draw(self, phase, share):
        line = phase if share is None else f"{phase} {100 * share:3.0f} %"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def _draw_notebook(self, phase, share):
        from IPython.display import HTML, display
        value = "" if share is None else f' value="{share:.3f}"'
        html = HTML(f"<progress{value}></progress> {phase}")
        if self.display is None:
            self.display = display(html, display_id=True)
        else:
            self.display.update(html)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
        if self.display is not None:
            from IPython.display import HTML
            self.display.update(HTML(""))


def _in_notebook():
    from IPython import get_ipython
    return type(get_ipython()).__name__ == "ZMQInteractiveShell"
