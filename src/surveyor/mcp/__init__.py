"""The register for assistants: the Model Context Protocol over standard input and output.

`messages.py` reads and writes lines, `protocol.py` says what each method answers, `tools.py` what a tool is
and how its answer is bounded, `reading.py` and `deciding.py` are the tools, `server.py` is the loop. Tools
call the service functions that the commands and the API call; those that change something exist only where
the operator allowed it, and act as a reviewer with a name of their own.
"""

from surveyor.mcp.server import serve

__all__ = ["serve"]
