import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Session {
  query(statement: string, format: string): string;
  cleanup(): void;
}

export interface Engine {
  readonly url: string;
  stop(): Promise<void>;
}

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, (found) => `\\${found}`)}'`;

/** Inserts parameters into the statement, as the engine needs them. Texts are escaped already. */
const withParameters = (statement: string, parameters: ReadonlyMap<string, string>): string =>
  statement.replaceAll(/\{(\w+):([^}]+)\}/g, (_all, name: string, type: string) => {
    const value = parameters.get(name) ?? '';
    const literal = type === 'String' ? `'${value}'` : quoted(value);
    return `CAST(${literal}, ${quoted(type)})`;
  });

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/**
 * Runs the ClickHouse engine of the package `chdb` below `folder` behind the HTTP interface of a
 * server.
 */
export async function startEngine(folder: string): Promise<Engine> {
  const load = createRequire(join(folder, 'package.json'));
  const { Session: Opened } = load('chdb') as { Session: new () => Session };
  const session = new Opened();
  const server = createServer((req, res) => {
    void bodyOf(req).then(async (body) => {
      const { searchParams, pathname } = new URL(req.url ?? '/', 'http://engine');
      if (pathname === '/ping') return res.end('Ok.\n');
      const form = await formOf(req, body);
      const parameters = new Map<string, string>();
      for (const [name, value] of [...searchParams, ...form.entries()])
        if (name.startsWith('param_')) parameters.set(name.slice(6), value);
      const queryInUrl = searchParams.get('query');
      const statement = form.get('query') ?? queryInUrl ?? body.toString('utf8');
      const rows = queryInUrl !== null && form.size === 0 ? `\n${body.toString('utf8')}` : '';
      const settings = [...searchParams].filter(([name]) => name === 'prefer_column_name_to_alias');
      for (const [name, value] of settings) session.query(`SET ${name} = ${value}`, 'CSV');
      try {
        return res.end(session.query(withParameters(statement, parameters) + rows, 'JSONEachRow'));
      } catch (error) {
        return res.writeHead(500, { 'x-clickhouse-exception-code': '1' }).end(String(error));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      session.cleanup();
    },
  };
}

/** Returns the parameters of a form; empty if the body is no form. */
async function formOf(req: IncomingMessage, body: Buffer): Promise<Map<string, string>> {
  const type = req.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return new Map();
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return new Map(
    [...form.entries()].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
