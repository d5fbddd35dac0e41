"""The mcp package as Home Assistant's integration uses it: a new connection for its setup, for each list and for each
call, 10 s for each of them, and every schema converted. Runs as `client.py URL QUESTIONS`, like ../session.mjs."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

import httpx
from mcp import McpError
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from voluptuous_openapi import convert_to_voluptuous

URL, QUESTIONS = sys.argv[1], json.loads(sys.argv[2])
TIMEOUT_S = 10
AGENT = f"HomeAssistant/2026.4.3 httpx/{httpx.__version__} Python/{sys.version_info[0]}.{sys.version_info[1]}"


@asynccontextmanager
async def connect():
    async with (
        asyncio.timeout(TIMEOUT_S),
        httpx.AsyncClient(headers={"User-Agent": AGENT}) as http,
        streamable_http_client(url=URL, http_client=http) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        yield session, await session.initialize()


async def check():
    """What adding the integration asks: a door without tools is refused."""
    async with connect() as (_, opened):
        if opened.capabilities.tools is None:
            raise SystemExit(f"{opened.serverInfo.name} has no tools")


async def list_tools():
    async with connect() as (session, _):
        tools = (await session.list_tools()).tools
    for tool in tools:
        # One that can't be converted costs Home Assistant all of them.
        convert_to_voluptuous(tool.inputSchema)
    return [{"name": tool.name, "description": tool.description, "inputSchema": tool.inputSchema} for tool in tools]


async def call(name, arguments):
    try:
        async with connect() as (session, _):
            result = await session.call_tool(name, arguments)
    except BaseExceptionGroup as group:
        # Nothing catches it in Home Assistant: it crosses the task groups of the connection and of the session.
        while isinstance(group, BaseExceptionGroup):
            group = group.exceptions[0]
        if not isinstance(group, McpError):
            raise
        return {"thrown": group.error.message, "code": group.error.code}
    return {"said": [block.text for block in result.content], "isError": result.isError}


async def converse():
    await check()
    tools = await list_tools()
    answers = [await call(asked["name"], asked["arguments"]) for asked in QUESTIONS]
    print(json.dumps({"tools": tools, "answers": answers}))


asyncio.run(converse())
