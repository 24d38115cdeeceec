import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { TestAdminApi } from './spec-support/admin-api';

const GENERATOR = resolve(__dirname, '../../../node_modules/openapi-typescript/bin/cli.js');

/** A client with one function, such as a user could write with only the generated types. */
const CLIENT = `
import type { components, paths } from './control-plane';

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type BodyOf<O> = O extends { requestBody: infer Body } ? Json<Body> : undefined;
type ResponseOf<O> = O extends { responses: { 200: infer Shape } } ? Json<Shape> : never;
type QueryOf<O> = O extends { parameters: { query?: infer Query } } ? Query : never;

export async function call<Path extends keyof paths, Method extends 'get' | 'post' | 'put' | 'delete'>(
  method: Method,
  path: Path,
  body: BodyOf<paths[Path][Method]>,
  query?: QueryOf<paths[Path][Method]>,
): Promise<ResponseOf<paths[Path][Method]>> {
  const search = new URLSearchParams(query as Record<string, string> | undefined);
  const response = await fetch(path + '?' + search.toString(), { method, body: JSON.stringify(body) });
  return (await response.json()) as ResponseOf<paths[Path][Method]>;
}

declare const fetch: (url: string, init: object) => Promise<{ json(): Promise<unknown> }>;
declare class URLSearchParams {
  constructor(init?: Record<string, string>);
}
`;

const GOOD = `
export async function use(): Promise<[string, string, number, string | null, 'config']> {
  const made = await call('post', '/v1/configs', {
    name: 'Fallback', config: { strategy: { mode: 'fallback' } }, workspace_id: 'ws-search',
  });
  const key = await call('post', '/v1/api-keys/{type}/{subType}', { name: 'k', scopes: ['logs.list'] });
  const list = await call('get', '/v1/api-keys', undefined, { current_page: 0, page_size: 10, status: ['active'] });
  const next = list.data[0]?.rotation_policy?.next_rotation_at ?? null;
  const error: components['schemas']['ErrorResponse']['error']['message'] = 'x';
  await call('post', '/v1/prompts', {
    name: 'Greeting', slug: 'greeting', collection_id: 'support', string: error, parameters: {}, virtual_key: 'openai',
  });
  await call('delete', '/v1/prompts/{prompt}', undefined);
  return [made.slug, key.key, list.total, next, made.object];
}
`;

/** Calls with one mistake each. Types that are too loose would accept them. */
const BAD = [
  `call('post', '/v1/configs', { name: 7, config: {} });`,
  `call('post', '/v1/configs', { name: 'x' });`,
  `call('get', '/v1/no-such-thing', undefined);`,
  `call('get', '/v1/api-keys', undefined, { status: ['asleep'] });`,
  `call('get', '/v1/api-keys', undefined).then((list) => list.data[0]?.nothing);`,
];

describe('client types generated from the OpenAPI document', () => {
  const admin = new TestAdminApi();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-client-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function faultsOf(files: Readonly<Record<string, string>>): string[] {
    const names = Object.entries(files).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const program = ts.createProgram(names, {
      strict: true,
      noEmit: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts'],
      module: ts.ModuleKind.Node20,
      types: [],
    });
    return ts.getPreEmitDiagnostics(program).map((fault) => {
      const text = ts.flattenDiagnosticMessageText(fault.messageText, ' ');
      return `${fault.file?.fileName.split('/').at(-1) ?? ''}: ${text}`;
    });
  }

  it('compile, accept valid calls and reject invalid ones', () => {
    writeFileSync(join(folder, 'control-plane.json'), JSON.stringify(admin.api.document));
    const run = [GENERATOR, 'control-plane.json', '--output', 'control-plane.d.ts'];
    const { status, stderr } = spawnSync(process.execPath, run, { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const bad = BAD.map((line) => `// @ts-expect-error: has one mistake\nvoid ${line}`).join('\n');
    const good = faultsOf({ 'use.ts': CLIENT + GOOD });
    expect(good).toEqual([]);
    expect(faultsOf({ 'misuse.ts': CLIENT + bad })).toEqual([]);
  });
});
