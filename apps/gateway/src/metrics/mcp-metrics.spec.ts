import type { RequestContext } from '../core/request-context';
import { RequestMcp } from '../mcp/request-mcp';
import { RequestReply } from '../reply/request-reply';
import { McpMetrics } from './mcp-metrics';

describe('McpMetrics', () => {
  const context = {
    ...{ elapsedMs: () => 30, reply: new RequestReply(), attempts: { records: [{ durationMs: 20 }] } },
  } as unknown as RequestContext;
  const request = (server: string, capability: string | null, method = 'tools/call'): RequestMcp => {
    const facts = { ...{ server, method, revision: '2026-07-28', client: null }, requestId: '1' };
    const mcp = new RequestMcp(facts, 'integration');
    mcp.capability = capability;
    return mcp;
  };

  it('limits the number of servers and names, whatever is called', () => {
    const metrics = new McpMetrics();
    for (let at = 0; at < 600; at += 1)
      for (let tool = 0; tool < 20; tool += 1)
        metrics.count(context, request(`server-${String(at)}`, `tool-${String(tool)}`));
    const all = [...metrics.all()];
    expect(all.length).toBeLessThanOrEqual(501);
    const series = all.reduce((sum, { capabilities }) => sum + capabilities.size, 0);
    expect(series).toBeLessThanOrEqual(6_000);
    const counted = all.flatMap(({ capabilities }) => [...capabilities.values()]);
    const total = counted.reduce((sum, outcomes) => sum + (outcomes.get('ok') ?? 0), 0);
    expect(total).toBe(12_000);
    expect(all.find(({ server }) => server === '_OTHER')?.capabilities.get('_OTHER')).toBeDefined();
  });

  it('gives methods without a name an empty name, and unknown tools a common name', () => {
    const metrics = new McpMetrics();
    metrics.count(context, request('a', null));
    metrics.count(context, request('a', null, 'resources/read'));
    expect(Array.from(metrics.all(), ({ capabilities }) => [...capabilities.keys()])).toEqual([
      ['_OTHER'],
      [''],
    ]);
  });
});
