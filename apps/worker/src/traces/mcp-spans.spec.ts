import { requestLogRow } from '@gw/log-store';
import { callSpanId } from '@gw/telemetry';
import { sampleLogRecord } from '@gw/testing';
import type { LogRecord } from '@gw/contracts';
import { requestSpans } from './request-spans';

type Mcp = NonNullable<LogRecord['decision']['mcp']>;

describe('spans of MCP requests', () => {
  const record = (mcp: Partial<Mcp>, changes: Partial<LogRecord> = {}): LogRecord =>
    sampleLogRecord({
      ...{ route: 'mcp.tools.call', provider: 'mcp', credential: 'github', model: null, responseModel: null },
      ...{ usage: null, cost: null, integrationId: 'i-1' },
      ...{ mcpServer: 'github', mcpMethod: 'tools/call', mcpCapability: 'search_issues' },
      decision: {
        ...sampleLogRecord().decision,
        attempts: [
          {
            ...{ target: 'github', provider: 'mcp', credential: 'github', model: null, retry: 0 },
            ...{ status: 200, end: 'answered', reason: null, startedMs: 1, durationMs: 10 },
          },
        ],
        mcp: {
          ...{ server: 'github', method: 'tools/call', name: 'search_issues', revision: '2026-07-28' },
          ...{ client: 'a 1', isError: false, argumentsDigest: null, inputs: 0, requestId: '7' },
          ...mcp,
        },
      },
      ...changes,
    });
  const spansOf = (of: LogRecord) => requestSpans(requestLogRow(of));

  it('names spans by method and tool, with the attributes of the semantic conventions', () => {
    const of = record({ session: 's-1' });
    const [request, call] = spansOf(of);
    const attributes = {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2026-07-28',
      'mcp.session.id': 's-1',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search_issues',
      'jsonrpc.request.id': '7',
      'network.transport': 'tcp',
      'tollgate.mcp.server': 'github',
      'tollgate.mcp.integration.id': 'i-1',
    };
    expect(request).toMatchObject({ name: 'tools/call search_issues', error: null, attributes });
    expect(call).toMatchObject({ name: 'tools/call search_issues', error: null, attributes });
    // The gateway sent this id to the MCP server.
    expect(call?.spanId).toBe(callSpanId(of.id, 0));
    for (const name of ['gen_ai.provider.name', 'gen_ai.request.model', 'error.type'])
      expect(request?.attributes).not.toHaveProperty([name]);
  });

  it('reports a failed tool, and the code of an error, although the status is 200', () => {
    expect(spansOf(record({ isError: true }))[0]).toMatchObject({
      ...{ error: 'tool_error', attributes: { 'error.type': 'tool_error' } },
    });
    expect(spansOf(record({ errorCode: 31_429 }, { errorType: 'rate_limited' }))[0]).toMatchObject({
      error: '31429',
      attributes: { 'error.type': '31429', 'rpc.response.status_code': '31429' },
    });
  });

  it('names prompts in span names, and resource URIs only in attributes', () => {
    const prompt = record(
      { method: 'prompts/get', name: 'review' },
      { mcpMethod: 'prompts/get', mcpCapability: 'review' },
    );
    expect(spansOf(prompt)[0]).toMatchObject({
      ...{ name: 'prompts/get review', attributes: { 'gen_ai.prompt.name': 'review' } },
    });
    const resource = record(
      { method: 'resources/read', name: 'file:///a' },
      { mcpMethod: 'resources/read', mcpCapability: null },
    );
    const [span] = spansOf(resource);
    expect(span).toMatchObject({
      ...{ name: 'resources/read', attributes: { 'mcp.resource.uri': 'file:///a' } },
    });
    expect(span?.attributes).not.toHaveProperty(['gen_ai.operation.name']);
  });
});
