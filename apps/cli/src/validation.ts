import { ApiError, type ApiClient, type Detail } from './api-client';
import { DryRunClient, dryRunOf, type CheckedWrite, type Verdicts } from './dry-run-client';
import type { Item, Kind } from './kind';
import { isFields } from './values';

/** Kinds whose path in a refused deletion differs from `kind.slug`. */
const HOLDERS: Readonly<Record<string, string>> = {
  isDefault: 'configs',
  'defaults.user_api_key_config': 'user_key_configs',
  'defaults.config_id': 'api_keys',
  organisation: 'default_guardrails',
  workspaces: 'workspace_guardrails',
};

/** Workspace settings that the organisation may forbid. */
const RULED_SETTINGS = /^(settings|security_settings|export_settings|data_plane_security_settings)\b/;

const FORCE = '\n    --force deletes it anyway; requests that need it will fail.';

/** The item whose writes are being checked. */
interface Current {
  /** Location and name of the item. */
  readonly at: string;
  readonly kind: string;
  readonly item: Item;
  /** Whether the item is to be deleted. */
  readonly isRemoval: boolean;
  /** Whether `--force` deletes the item even if it is in use. */
  readonly forceHelps: boolean;
  /** Whether a part of the item would have been deleted before. */
  hasDeleted: boolean;
}

/** Collects the problems of files, as the control plane reports them before anything is written. */
export class Validation implements Verdicts {
  readonly client: DryRunClient;
  private readonly problems: string[] = [];
  /** Writes that cannot be checked before other writes of the run are executed. */
  private readonly unjudged: string[] = [];
  /** Names of planned items: references to them cannot be checked completely. */
  readonly planned = new Set<string>();
  /**
   * Items that the run creates, changes or deletes, by `kind` and `kind.name`; null for deletions.
   */
  private readonly touched = new Map<string, Item | null>();
  private current: Current | undefined;

  constructor(private readonly api: ApiClient) {
    this.client = api.like(DryRunClient);
    this.client.verdicts = this;
  }

  plan(item: Item): void {
    for (const name of namesOf(item)) this.planned.add(name);
  }

  /** Registers a planned workspace; `standIn` is the workspace in which its items are checked. */
  planWorkspace(item: Item, standIn: string): void {
    this.client.standIns.set(String(item['slug']), standIn);
    this.planned.add(standIn);
  }

  touch({ name: kind }: Kind, item: Item, after: Item | null): void {
    this.touched.set(kind, after);
    for (const name of namesOf(item)) this.touched.set(`${kind}.${name}`, after);
  }

  /** Checks every write of an item that the files create or change. */
  check(at: string, { name: kind }: Kind, item: Item, write: () => Promise<unknown>): Promise<void> {
    return this.run(write, { at, kind, item, isRemoval: false, forceHelps: false, hasDeleted: false });
  }

  /** Checks a deletion; with `isForced` also of an item in use. */
  checkRemoval(
    at: string,
    { name: kind, removeUsed }: Kind,
    { item, isForced }: { readonly item: Item; readonly isForced: boolean },
    write: () => Promise<unknown>,
  ): Promise<void> {
    const forceHelps = removeUsed !== undefined && !isForced;
    return this.run(write, { at, kind, item, isRemoval: true, forceHelps, hasDeleted: false });
  }

  /** Returns what uses the item at the path, from the refusal or the warnings of its deletion. */
  async usesOf(path: string, item: Item): Promise<string[]> {
    const uses = await this.refusalOf(path);
    return uses.filter((use) => !this.isSettled(use, item, false)).map(({ message }) => message);
  }

  private async refusalOf(path: string): Promise<readonly Detail[]> {
    try {
      const { warnings = [] } = await this.api.call<{ warnings?: readonly Detail[] }>(
        'DELETE',
        dryRunOf(path),
      );
      return warnings;
    } catch (error) {
      if (!(error instanceof ApiError) || error.isWithoutResponse) throw error;
      return error.details;
    }
  }

  /**
   * Handles an item that is only changed together with its owner, when the owner does not exist.
   */
  checkOwner(kind: Kind, item: Item): void {
    const { at } = this.current ?? { at: kind.name };
    const owner = String(item[kind.identity[0] ?? '']);
    if (this.planned.has(owner))
      this.unjudged.push(`${at}: belongs to ${owner}, which this run creates first`);
    else this.problems.push(`${at}: there is no ${owner}; add it to the file.`);
  }

  private async run(write: () => Promise<unknown>, current: Current): Promise<void> {
    this.current = current;
    try {
      await write();
    } catch (error) {
      // Without a control plane nothing can be checked.
      if (error instanceof ApiError && error.isWithoutResponse) throw error;
      this.problems.push(`${current.at}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  accepted({ method }: CheckedWrite, warnings: readonly Detail[]): void {
    const { current } = this;
    if (!current) return;
    current.hasDeleted ||= method === 'DELETE';
    if (warnings.length === 0 || !current.forceHelps) return;
    if (warnings.every((use) => this.isSettled(use, current.item, current.hasDeleted))) return;
    const uses = warnings.map(({ message }) => `\n    ${message}`).join('');
    this.problems.push(`${current.at}: it is in use.${uses}${FORCE}`);
  }

  refused(write: CheckedWrite, error: ApiError): void {
    const { current } = this;
    if (!current) throw error;
    if (this.mayBeSettled(current, write, error)) {
      this.unjudged.push(`${current.at}: refused in the current state: ${error.message}`);
    } else {
      const wayOut = current.forceHelps && error.details.length > 0 ? FORCE : '';
      this.problems.push(`${current.at}: ${error.message}${wayOut}`);
    }
  }

  unchecked(write: CheckedWrite): void {
    const { at } = this.current ?? { at: '' };
    this.unjudged.push(`${at}: ${write.method} ${write.path}: depends on an earlier write of this run`);
  }

  /** Reports the unchecked writes. @throws Error that lists every problem. */
  conclude(onUnjudged: (line: string) => void): void {
    for (const line of this.unjudged) onUnjudged(line);
    if (this.problems.length === 0) return;
    throw new Error(`nothing was changed, because the files are invalid:\n${this.problems.join('\n')}`);
  }

  /** Returns whether earlier writes of the run may remove the reason of a refusal. */
  private mayBeSettled(current: Current, { body }: CheckedWrite, { status, details }: ApiError): boolean {
    const { kind, item } = current;
    if (current.isRemoval && details.length > 0)
      return details.every((use) => this.isSettled(use, current.item, current.hasDeleted));
    if (status === 409 && (current.hasDeleted || this.isInPlannedWorkspace(item))) return true;
    if (kind === 'workspaces' && this.touched.has('organisation_settings')) {
      return details.length > 0 && details.every(({ path }) => RULED_SETTINGS.test(path));
    }
    const { slug: _slug, name: _name, ...rest } = item;
    // The planned names include the item's own slug.
    if (details.some(({ path }) => path === 'slug' || path === 'name')) return false;
    // The error of a config names members of its content.
    const values = details.map(({ path }) => at(body, path) ?? at(body['config'], path));
    const refused = status === 404 ? [rest] : values;
    return refused.length > 0 && refused.every((value) => mentions(value, this.planned));
  }

  /**
   * Returns whether the run deletes the users of the item, or changes them so that they may no
   * longer use it.
   */
  private isSettled({ path }: Detail, item: Item, hasDeleted: boolean): boolean {
    if (path === 'share') return hasDeleted;
    const [first = path] = path.split('.');
    const holder = HOLDERS[path] ?? HOLDERS[first];
    if (holder !== undefined) return this.touched.has(holder);
    const user = this.touched.get(path);
    return user !== undefined && !mentions(user, new Set(namesOf(item)));
  }

  /** Items checked in the default workspace, which may have an item of the same name. */
  private isInPlannedWorkspace({ workspace, workspaces }: Item): boolean {
    const slugs = isFields(workspaces) ? Object.keys(workspaces) : [String(workspace)];
    return slugs.some((slug) => this.client.standIns.has(slug));
  }
}

const namesOf = ({ slug, name }: Item): string[] => [slug, name].filter((value) => typeof value === 'string');

const at = (body: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce(
      (value, name) =>
        isFields(value) || Array.isArray(value)
          ? (value as Readonly<Record<string, unknown>>)[name]
          : undefined,
      body,
    );

function mentions(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return names.has(value.replace(/^@/, '').replace(/\/.*$/, ''));
  return (
    typeof value === 'object' && value !== null && Object.values(value).some((one) => mentions(one, names))
  );
}
