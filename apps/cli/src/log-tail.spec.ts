import { eventually } from '@gw/testing';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from './api-client';
import { LogTail } from './log-tail';

const record = (id: number): { id: string } => ({ id: `log-${String(id)}` });
const event = (id: number): string => `event: log\ndata: ${JSON.stringify(record(id))}\n\n`;

/** A control plane with a page of logs, newest first, and a stream that the test writes. */
class ControlPlane {
  page: { id: string }[] = [];
  status = 200;
  readonly streams: ServerResponse[] = [];
  readonly queries: string[] = [];
  private readonly server: Server = createServer((request, response) => {
    this.queries.push(String(request.url));
    if (!request.url?.startsWith('/v1/logs/tail')) response.end(JSON.stringify({ data: this.page }));
    else if (this.status !== 200) response.writeHead(this.status).end('{"error":{"message":"not allowed"}}');
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': tail\n\n');
      this.streams.push(response);
    }
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('logs tail', () => {
  let plane: ControlPlane;
  let tail: LogTail;
  let shown: string[];
  let errors: string[];
  let ended: AbortController;

  beforeEach(async () => {
    plane = new ControlPlane();
    [shown, errors, ended] = [[], [], new AbortController()];
    const output = {
      out: (text: string) => shown.push((JSON.parse(text) as { id: string }).id),
      err: (text: string) => errors.push(text),
      input: () => Promise.resolve(''),
    };
    tail = new LogTail(new ApiClient(await plane.start(), 'key'), { workspace_id: 'w' }, output);
  });
  afterEach(() => {
    plane.stop();
  });

  it('prints the existing page and every log of the stream once', async () => {
    plane.page = [record(2), record(1)];
    const following = tail.follow(ended.signal);
    await eventually(() => shown.length === 2);
    for (let id = 2; id <= 2_000; id += 1) plane.streams[0]?.write(event(id));
    await eventually(() => shown.length === 2_000);
    ended.abort();
    await following;
    expect(shown).toEqual(Array.from({ length: 2_000 }, (_, i) => `log-${String(i + 1)}`));
    expect([errors, plane.queries[0]]).toEqual([[], '/v1/logs/tail?workspace_id=w']);
  });

  it('reports logs that the control plane skipped', async () => {
    const following = tail.follow(ended.signal);
    await eventually(() => plane.streams.length === 1);
    plane.streams[0]?.write('event: skipped\ndata: {"count":3,"exact":true}\n\n');
    await eventually(() => errors.length === 1);
    ended.abort();
    await following;
    expect(errors).toEqual(['tollgate: too many logs to show; 3 are missing\n']);
  });

  it.each([
    ['prints the missed logs', 3, []],
    [
      'reports that logs may be missing if one page is not enough',
      150,
      ['tollgate: the connection was lost; some logs may be missing\n'],
    ],
  ])('reconnects after the stream has ended, and %s', async (_, until, expected) => {
    const following = tail.follow(ended.signal);
    await eventually(() => plane.streams.length === 1);
    plane.streams[0]?.write(event(1));
    await eventually(() => shown.length === 1);
    plane.page = Array.from({ length: until - 1 }, (_each, i) => record(until - i)).slice(0, 100);
    plane.streams[0]?.end();
    await eventually(() => shown.at(-1) === `log-${String(until)}`);
    ended.abort();
    await following;
    expect(errors).toEqual(expected);
  });

  it('reconnects to a control plane that was down', async () => {
    const following = tail.follow(ended.signal);
    await eventually(() => plane.streams.length === 1);
    plane.streams[0]?.destroy();
    await eventually(() => plane.streams.length === 2);
    plane.streams[1]?.write(event(7));
    await eventually(() => shown.length === 1);
    ended.abort();
    await following;
    expect(errors).toEqual([expect.stringContaining('retrying')]);
  });

  it('fails with the reason when the control plane refuses the stream', async () => {
    plane.status = 403;
    await expect(tail.follow(ended.signal)).rejects.toThrow('not allowed');
  });
});
