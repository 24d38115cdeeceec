import type { ApiClient, Json } from './api-client';
import type { Members } from './members';

/** An item of a file. */
export type Item = Json;

/** An existing item of the control plane, in the form of a file. */
export interface ExistingItem {
  readonly item: Item;
  /** Path at which the item is changed and deleted. */
  readonly path: string;
  /**
   * False for an item that an export leaves out, because it could not be created again. Default:
   * true.
   */
  readonly isExported?: boolean;
}

/**
 * Maps workspace names in files to those of the server. The default workspace is the default on
 * both sides, whatever its slug.
 */
export class Workspaces {
  private readonly idBySlug = new Map<string, string>();
  private readonly slugById = new Map<string, string>();
  private default: string | undefined;

  /** Slugs by id; an export uses the first one. */
  add(slug: string, id: string): void {
    this.idBySlug.set(slug, id);
    if (!this.slugById.has(id)) this.slugById.set(id, slug);
  }

  /** Renames a workspace for the rest of the run. */
  rename(slug: string, id: string): void {
    this.idBySlug.set(slug, id);
    this.slugById.set(id, slug);
  }

  setDefault(id: string): void {
    this.default = id;
  }

  get defaultId(): string {
    if (this.default === undefined)
      throw new Error('The organisation has no default workspace; create one first.');
    return this.default;
  }

  idOf(slug: unknown): string {
    const id = this.idBySlug.get(String(slug));
    if (id === undefined)
      throw new Error(`There is no workspace ${String(slug)}; check the slug or add it to workspaces.`);
    return id;
  }

  slugOf(id: string): string {
    return this.slugById.get(id) ?? id;
  }

  get all(): readonly (readonly [slug: string, id: string])[] {
    return [...this.slugById].map(([id, slug]) => [slug, id]);
  }
}

export interface ReconcileContext {
  readonly api: ApiClient;
  readonly workspaces: Workspaces;
  /** Cache of collections by workspace id and collection id. */
  readonly collections: Map<string, ReadonlyMap<string, Json>>;
  /** Names of the items that a dry run would have created; empty in a run that writes. */
  readonly planned: ReadonlySet<string>;
}

/** Placeholder of a dry run for the ids of planned items. No id and no name contains it. */
export const NOT_MADE = 'not:made';

/** One kind of item of the control plane: how to export it and how to apply a file. */
export interface Kind {
  /** Name of the list in files. */
  readonly name: string;
  /** The members that identify an item. */
  readonly identity: readonly string[];
  /** All members that an item may have. */
  readonly members: Members;
  /** Members that cannot be changed. */
  readonly fixed?: readonly string[];
  existing(context: ReconcileContext): Promise<ExistingItem[]>;
  /**
   * Creates an item and returns what is shown only once, such as a secret. Absent: the item exists
   * together with its owner and can only be changed.
   */
  create?(context: ReconcileContext, item: Item): Promise<Json>;
  /**
   * Changes an item. `item` has every desired member; members that only `before` has are cleared.
   * `wanted` is the item in the form of the file, with secrets as names of variables.
   */
  update(context: ReconcileContext, path: string, item: Item, before: Item, wanted: Item): Promise<Json>;
  readonly removable: boolean;
  /**
   * Deletes an item with `--force`, even if it is in use. Absent: it must first be removed from its
   * users.
   */
  readonly removeUsed?: (context: ReconcileContext, path: string) => Promise<Json>;
  /**
   * Adds the parts that remain because nothing is removed without `--prune`. Absent for kinds whose
   * items always list all of their parts.
   */
  unpruned?(item: Item, before: Item): Item;
}

export const put = (context: ReconcileContext, path: string, body: unknown): Promise<Json> =>
  context.api.call('PUT', path, body);
export const post = (context: ReconcileContext, path: string, body: unknown): Promise<Json> =>
  context.api.call('POST', path, body);

export const remove = (context: ReconcileContext, path: string): Promise<Json> =>
  context.api.call('DELETE', path);

/** Deletes with the parameter that routes need for an item in use. */
export const removeByForce = (context: ReconcileContext, path: string): Promise<Json> =>
  remove(context, `${path}${path.includes('?') ? '&' : '?'}force=true`);

/** Copies the members of a row by their names. */
export const members = (row: Json, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

/** Copies the members of an item; null for a missing one. */
export const cleared = (item: Item, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, item[name] ?? null]));

/** Copies the members that an item has. */
export const present = (item: Item, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));
