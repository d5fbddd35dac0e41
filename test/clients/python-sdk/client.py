"""The second Python SDK. Runs as `client.py URL QUESTIONS MODE`, like ../session.mjs; MODE: legacy, auto or a revision."""

import asyncio
import json
import sys

from mcp import Client, MCPError

URL, QUESTIONS, MODE = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]


async def call(client, name, arguments):
    try:
        result = await client.call_tool(name, arguments)
    except MCPError as error:
        return {"thrown": error.message, "code": error.code}
    return {"said": [block.text for block in result.content], "isError": result.is_error}


async def converse():
    async with Client(URL, mode=MODE) as client:
        listed = (await client.list_tools()).tools
        tools = [{"name": one.name, "description": one.description, "inputSchema": one.input_schema} for one in listed]
        answers = [await call(client, asked["name"], asked["arguments"]) for asked in QUESTIONS]
    print(json.dumps({"tools": tools, "answers": answers}))


asyncio.run(converse())
