import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCli } from '../cli';

export type Row = Record<string, unknown>;

interface Refusal {
  readonly status: number;
  readonly error: object;
  /** Whether only the write is refused, after its check passed. */
  readonly onlyWrite: boolean;
}

export interface Write {
  /** `POST /v1/labels`, with the query. */
  readonly line: string;
  readonly body: Row;
}

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Responses of routes that do not return a list. */
const DOCUMENTS: Readonly<Record<string, object>> = {
  '/v1/admin/organisation/settings': { security_settings: {} },
  '/v1/admin/organisation/properties': {},
  '/v1/admin/organisation/defaults': {},
  '/v1/workspace-exclusions/input-guardrails': { workspaces: [] },
  '/v1/workspace-exclusions/output-guardrails': { workspaces: [] },
};
const DRY_RUN = /[?&]dry_run=true/;

/**
 * A control plane on loopback that keeps rows by collection (`/v1/labels`) and records what the
 * command line writes.
 */
export class StubControlPlane {
  readonly collections = new Map<string, Row[]>();
  /** Writes that the command line had checked, and writes that it executed. */
  readonly checks: Write[] = [];
  readonly writes: Write[] = [];
  private readonly refusals = new Map<string, Refusal>();
  private readonly server: Server = createServer((request, response) => void this.serve(request, response));
  private ids = 0;

  static async start(): Promise<StubControlPlane> {
    const plane = new StubControlPlane();
    plane.add('/v1/workspaces', {
      ...{ id: 'ws-main', slug: 'main', name: 'Main', is_default: 1 },
      ...{ defaults: {}, settings: {}, security_settings: {} },
    });
    await new Promise<void>((resolve) => plane.server.listen(0, '127.0.0.1', resolve));
    return plane;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  add(collection: string, row: Row): Row {
    const made = { id: `${String((this.ids += 1))}`, ...row };
    this.rowsOf(collection).push(made);
    return made;
  }

  rowsOf(collection: string): Row[] {
    const rows = this.collections.get(collection) ?? [];
    this.collections.set(collection, rows);
    return rows;
  }

  /** Refuses the write of that line (`DELETE /v1/labels/1`), and its check unless `onlyWrite`. */
  refuse(line: string, status: number, error: object, { onlyWrite = false } = {}): void {
    this.refusals.set(line, { status, error, onlyWrite });
  }

  get written(): string[] {
    return this.writes.map(({ line }) => line);
  }

  /** Runs `tollgate` on a file with this content. */
  async run(command: string, file = '', variables: Record<string, string> = {}): Promise<Run> {
    let [out, err] = ['', ''];
    const { port } = this.server.address() as AddressInfo;
    const input = file === '' ? [] : ['-f', '-'];
    const args = [...command.split(' '), ...input, '--url', `http://127.0.0.1:${String(port)}`];
    const output = {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      input: () => Promise.resolve(`version: 1\n${file}`),
    };
    const environment = { TOLLGATE_API_KEY: 'key', ...variables };
    const code = await runCli(args, environment, output, new AbortController().signal);
    return { code, out, err };
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = (chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())) as Row;
    const [status, answer] =
      method === 'GET' ? [200, this.read(new URL(url, 'http://stub'))] : this.write(method, url, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  private read({ pathname, searchParams }: URL): object {
    const one = DOCUMENTS[pathname] ?? this.rowAt(pathname);
    if (one) return one;
    const workspace = searchParams.get('workspace_id');
    const statuses = searchParams.get('status')?.split(',');
    const rows = this.rowsOf(pathname).filter(
      (row) =>
        (!workspace || row['workspace_id'] === workspace) &&
        (!statuses || statuses.includes(String(row['status']))),
    );
    const [page, size] = [Number(searchParams.get('current_page')), Number(searchParams.get('page_size'))];
    // Lists return the newest item first.
    return { data: rows.toReversed().slice(page * size, (page + 1) * size), total: rows.length };
  }

  private write(method: string, url: string, body: Row): [number, object] {
    const line = `${method} ${url.replace(DRY_RUN, '')}`;
    const isCheck = DRY_RUN.test(url);
    (isCheck ? this.checks : this.writes).push({ line, body });
    const refusal = this.refusals.get(line);
    if (refusal && !(isCheck && refusal.onlyWrite)) return [refusal.status, { error: refusal.error }];
    return [200, isCheck ? {} : this.carryOut(method, new URL(url, 'http://stub').pathname, body)];
  }

  private carryOut(method: string, path: string, body: Row): object {
    if (method === 'POST') {
      const defaults = path === '/v1/workspaces' ? { defaults: {}, security_settings: {} } : {};
      return { ...this.add(path, { ...defaults, ...body }), secret: 'shown-once' };
    }
    const row = this.rowAt(path);
    const [collection] = splitPath(path);
    if (method === 'PUT' && row) return Object.assign(row, body);
    const rows = this.rowsOf(collection);
    this.collections.set(
      collection,
      rows.filter((one) => one !== row),
    );
    return {};
  }

  private rowAt(path: string): Row | undefined {
    const [collection, id] = splitPath(path);
    return this.collections.get(collection)?.find((row) => row['id'] === id);
  }
}

function splitPath(path: string): [collection: string, id: string] {
  const at = path.lastIndexOf('/');
  return [path.slice(0, at), path.slice(at + 1)];
}
