import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditRecorder, type AuditCaller, type AuditEntry } from '../unit-of-work/audit-recorder';
import { ChangeRecorder } from '../unit-of-work/change-recorder';
import { currentOauthCall, type OauthWork } from './oauth-call';

/** The transactions of the OAuth server: rows, audit rows and change events commit together or not at all. */
@Injectable()
export class OauthTransactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audits: AuditRecorder,
    private readonly changes: ChangeRecorder,
  ) {}

  /** The manager of the transaction that the current request has open, else of the pool. */
  get manager(): EntityManager {
    return currentOauthCall()?.work?.manager ?? this.dataSource.manager;
  }

  /** Runs `run` in a transaction, or in the one that is open. */
  async within<T>(run: (work: OauthWork) => Promise<T>): Promise<T> {
    const call = currentOauthCall();
    if (call?.work) return run(call.work);
    return this.dataSource.transaction(async (manager) => {
      const work: OauthWork = { manager, audits: [], removed: [], turn: Promise.resolve() };
      if (call) call.work = work;
      try {
        const result = await run(work);
        for (const [caller, entries] of byCaller(work)) await this.audits.record(manager, caller, entries);
        await this.changes.record(manager, { removed: work.removed });
        return result;
      } finally {
        if (call) call.work = null;
      }
    });
  }

  /** Runs `run` after what the request has begun before: a transaction has one connection, for one statement at a time. */
  inTurn<T>(run: () => Promise<T>): Promise<T> {
    const work = currentOauthCall()?.work;
    if (!work) return run();
    const turn = work.turn.then(run);
    work.turn = turn.catch(() => undefined);
    return turn;
  }

  /** Records a refusal, which has no transaction of its own. */
  async recordRefusal(
    caller: AuditCaller,
    entry: AuditEntry,
    status: number,
    errorType: string,
  ): Promise<void> {
    await this.dataSource.transaction((manager) =>
      this.audits.record(manager, caller, [{ ...entry, status, errorType }]),
    );
  }
}

function byCaller({ audits }: OauthWork): ReadonlyMap<AuditCaller, readonly AuditEntry[]> {
  const groups = new Map<AuditCaller, AuditEntry[]>();
  for (const { caller, entry } of audits) groups.set(caller, [...(groups.get(caller) ?? []), entry]);
  return groups;
}
