import { ApiClient, ApiError, type Json } from './api-client';
import type { Item } from './kind';
import { isFields } from './values';

/** Ends the check of an item: its first write would be accepted, and the next ones build on it. */
class Accepted extends Error {
  override readonly name = 'Accepted';
}

/** Reads as its client does; of a write, it lets the control plane check what it would do. */
class DryRunClient extends ApiClient {
  override async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    if (method === 'GET') return super.call<T>(method, path, body);
    try {
      await super.call(method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, body);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The route does more than write one resource, and can only be carried out.
      if (error.paths.includes('dry_run')) throw new Accepted();
      throw new Refused(error, isFields(body) ? body : {});
    }
    throw new Accepted();
  }
}

const at = (body: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce(
      (value, name) => (isFields(value) || Array.isArray(value) ? (value as Json)[name] : undefined),
      body,
    );

/** The refusal of a write, with the values that were refused. */
class Refused extends ApiError {
  readonly values: readonly unknown[];

  constructor(error: ApiError, body: Json) {
    super(error.status, error.message.replace(/[?&]dry_run=true/, ''), error.paths);
    // Of a config the error names members of its content.
    this.values = error.paths.map((path) => at(body, path) ?? at(body['config'], path));
  }
}

/** What is wrong with files, as the control plane judges them before anything is written. */
export class Validation {
  readonly client: ApiClient;
  readonly problems: string[] = [];
  /** Names of what the files make: what refers to it can't be judged in full before it is there. */
  private readonly planned = new Set<string>();
  private readonly plannedWorkspaces = new Set<string>();

  constructor(api: ApiClient) {
    this.client = api.like(DryRunClient);
  }

  plan(item: Item): void {
    for (const name of [item['slug'], item['name']]) {
      if (typeof name === 'string') this.planned.add(name);
    }
  }

  /** `standIn`: the workspace in whose place it is meanwhile. */
  planWorkspace(item: Item, standIn: string): void {
    this.plannedWorkspaces.add(String(item['slug']));
    this.planned.add(standIn);
  }

  async check(at: string, item: Item, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof Accepted) && !this.isAboutPlanned(error, item)) {
        this.problems.push(`${at}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** @throws Error that names every problem. */
  assertNone(): void {
    if (this.problems.length === 0) return;
    throw new Error(`nothing was changed, since the files are not valid:\n${this.problems.join('\n')}`);
  }

  /** Whether the refusal is for something that the files make before. */
  private isAboutPlanned(error: unknown, item: Item): boolean {
    if (!(error instanceof Refused)) return false;
    // Checked in the default workspace, which may have one of that name.
    if (error.status === 409 && this.plannedWorkspaces.has(String(item['workspace']))) return true;
    const { slug: _slug, name: _name, ...rest } = item;
    const refused = error.status === 404 ? [rest] : error.values;
    return refused.length > 0 && refused.every((value) => this.mentionsPlanned(value));
  }

  private mentionsPlanned(value: unknown): boolean {
    if (typeof value === 'string') return this.planned.has(value.replace(/^@/, '').replace(/\/.*$/, ''));
    return (
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((one) => this.mentionsPlanned(one))
    );
  }
}
