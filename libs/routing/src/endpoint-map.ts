/**
 * Stores values by `endpointKey`, which starts with the workspace. At the cap the workspace with
 * the most entries loses its oldest one, so that no workspace evicts another's entries.
 */
export class EndpointMap<Value> {
  size = 0;
  private readonly workspaces = new Map<string, Map<string, Value>>();

  constructor(private readonly capacity: number) {}

  get(key: string): Value | undefined {
    return this.workspaces.get(workspaceOf(key))?.get(key);
  }

  /** Sets a value; an existing key keeps its age. */
  set(key: string, value: Value): void {
    const workspace = workspaceOf(key);
    let entries = this.workspaces.get(workspace);
    if (entries?.has(key) !== true) {
      if (this.size >= this.capacity) this.forgetOne();
      // The eviction may have removed the last entry of this workspace.
      entries = this.workspaces.get(workspace) ?? new Map<string, Value>();
      this.workspaces.set(workspace, entries);
      this.size += 1;
    }
    entries.set(key, value);
  }

  delete(key: string): void {
    const workspace = workspaceOf(key);
    const entries = this.workspaces.get(workspace);
    if (entries?.delete(key) !== true) return;
    this.size -= 1;
    if (entries.size === 0) this.workspaces.delete(workspace);
  }

  *entries(): IterableIterator<[string, Value]> {
    for (const entries of this.workspaces.values()) yield* entries;
  }

  private forgetOne(): void {
    let most: Map<string, Value> | undefined;
    for (const entries of this.workspaces.values()) if (entries.size > (most?.size ?? 0)) most = entries;
    const [oldest] = most?.keys() ?? [];
    if (oldest !== undefined) this.delete(oldest);
  }
}

const workspaceOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')));
