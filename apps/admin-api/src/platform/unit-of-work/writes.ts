import type { DocumentKey } from '@gw/contracts';
import { markCarriedOut, type Row } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { etagOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { currentCall, noteWritten, type Written } from '../common/call-context';
import { DryRunChecked, warningsOf } from '../dry-runs/dry-run-checked';
import { assertFixed } from '../fixed-members/assert-fixed';
import { ChangeRecorder } from './change-recorder';
import { ResourceCaps } from '../resource-caps/resource-caps';
import { AuditRecorder, type AuditCaller, type AuditEntry } from './audit-recorder';
import { repeatedAfterDeadlocks } from './deadlocks';

/**
 * Runs a write of the control plane as one transaction: its rows, audit records and change event
 * commit together or not at all. `work` must have no other effects, because it runs again when
 * Postgres has undone the transaction to end a deadlock.
 *
 * ```ts
 * return this.writes.run(caller, (write) => patchRow(write, THING, at, (row) => assign(ThingFields,
 * row, input)));
 * ```
 */
@Injectable()
export class Writes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeRecorder,
    private readonly audits: AuditRecorder,
    private readonly caps: ResourceCaps,
  ) {}

  async run<T, C extends AuditCaller>(caller: C, work: (write: Write<C>) => Promise<T>): Promise<T> {
    const { result, written } = await repeatedAfterDeadlocks(() => this.transaction(caller, work));
    noteWritten(written);
    return result;
  }

  private transaction<T, C extends AuditCaller>(
    caller: C,
    work: (write: Write<C>) => Promise<T>,
  ): Promise<{ readonly result: T; readonly written: Written | null }> {
    return this.dataSource.transaction(async (manager) => {
      const write = new Write(manager, caller);
      const result = await work(write);
      const { fixed } = currentCall() ?? {};
      if (fixed) assertFixed(fixed, write.entries[0]?.before);
      await this.caps.assertWithinCaps(manager);
      // A dry run ends here, before the audit and change records, whose locks make other writers
      // wait.
      if (currentCall()?.isDryRun === true) throw new DryRunChecked(warningsOf(result), write.entries);
      await assertOnce(manager);
      const written = await write.written();
      await this.audits.record(manager, caller, write.entries);
      // Last, because it locks the outbox until the commit.
      await this.changes.record(manager, { changed: write.changedKeys, removed: write.removedKeys });
      return { result, written };
    });
  }
}

/**
 * Records that the request was executed under its `Idempotency-Key`. Throws when another process
 * has taken over the key.
 */
async function assertOnce(manager: EntityManager): Promise<void> {
  const claim = currentCall()?.claim;
  if (!claim || (await markCarriedOut(manager, claim))) return;
  throw new GatewayError('idempotency_in_flight', {
    param: 'idempotency-key',
    headers: { 'retry-after': '1' },
  });
}

/**
 * Lock for rows that are read in order to change them; it serialises concurrent writers of a row.
 */
export const FOR_UPDATE = { mode: 'pessimistic_write' } as const;

/**
 * Lock for rows that are updated but not deleted: other transactions can still insert rows that
 * refer to it. With `FOR_UPDATE`, a change of an organisation that also changes its workspaces
 * would deadlock with a transaction that has locked a workspace and waits for the organisation.
 */
export const FOR_CHANGE = { mode: 'for_no_key_update' } as const;

/**
 * Lock for rows that another row will refer to: the weakest that a deletion waits for. Changes of
 * the row do not wait.
 */
export const FOR_REFERENCE = { mode: 'for_key_share' } as const;

type VersionedRow = Row & { readonly id: string; readonly slug?: string };

/**
 * A row with a version, the etag of a resource without one, or a function that reads the etag after
 * all changes.
 */
export type Concerned = VersionedRow | Written | { readonly id: string; readonly tag: () => Promise<string> };

export class Write<C extends AuditCaller = AuditCaller> {
  readonly entries: AuditEntry[] = [];
  readonly changedKeys: DocumentKey[] = [];
  readonly removedKeys: DocumentKey[] = [];
  private concerned: Concerned | null = null;

  constructor(
    readonly manager: EntityManager,
    readonly caller: C,
  ) {}

  /**
   * Sets the resource that the request creates or changes. The first call counts, since later
   * resources depend on it.
   */
  concerns(resource: Concerned): void {
    this.concerned ??= resource;
  }

  /**
   * Returns this resource with its etag after all changes; null when none was set or it was
   * deleted.
   */
  async written(): Promise<Written | null> {
    const { concerned } = this;
    if (!concerned || 'etag' in concerned) return concerned;
    if ('tag' in concerned) return { id: concerned.id, etag: await concerned.tag() };
    const { id, slug } = concerned;
    // The version is read again, because a plain update increments it only in the database.
    const row = await this.manager.findOne<VersionedRow>(concerned.constructor, {
      where: { id },
      select: { id: true, version: true },
    });
    return row && { id, ...(slug === undefined ? {} : { slug }), etag: etagOf(row) };
  }

  audit(entry: AuditEntry): void {
    this.entries.push(entry);
  }

  /**
   * Marks documents that gateways must read again. Pass a long list as one argument, because the
   * arguments of a call are on the stack.
   */
  changed(...keys: (DocumentKey | readonly DocumentKey[])[]): void {
    for (const each of keys) append(this.changedKeys, each);
  }

  /** Marks documents that no longer exist. Accepts keys in the same form as `changed`. */
  removed(...keys: (DocumentKey | readonly DocumentKey[])[]): void {
    for (const each of keys) append(this.removedKeys, each);
  }
}

function append(to: DocumentKey[], keys: DocumentKey | readonly DocumentKey[]): void {
  if (typeof keys === 'string') to.push(keys);
  else for (const key of keys) to.push(key);
}
