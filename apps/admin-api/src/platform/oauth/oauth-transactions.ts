import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditRecorder, type AuditCaller, type AuditEntry } from '../unit-of-work/audit-recorder';
import { ChangeRecorder } from '../unit-of-work/change-recorder';
import { currentOauthCall, type OauthCall, type OauthWork } from './oauth-call';

/**
 * Transactions of the OAuth server: rows, audit records and change events commit together or not at
 * all.
 */
@Injectable()
export class OauthTransactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audits: AuditRecorder,
    private readonly changes: ChangeRecorder,
  ) {}

  /** Entity manager of the current request's open transaction, else of the connection pool. */
  get manager(): EntityManager {
    return currentOauthCall()?.work?.manager ?? this.dataSource.manager;
  }

  /** Runs `run` in the open transaction, or in a new one. */
  async within<T>(run: (work: OauthWork) => Promise<T>): Promise<T> {
    const call = currentOauthCall();
    if (call?.work) return run(call.work);
    return this.dataSource.transaction(async (manager) => {
      const work = newWork(manager);
      if (call) call.work = work;
      try {
        const result = await run(work);
        await this.finish(work);
        return result;
      } finally {
        if (call) call.work = null;
      }
    });
  }

  /**
   * Runs `run` with a transaction that starts at the first call of `inTurn`. Until then the request
   * holds no connection, for example while it waits for the key set of its client.
   */
  async whenNeeded<T>(run: () => Promise<T>): Promise<T> {
    const call = currentOauthCall();
    if (call === undefined) throw new Error('Only requests of the OAuth server have such a transaction.');
    try {
      return await this.inLateTransaction(call, run);
    } finally {
      // Runs after the connection has been returned, since each record uses a separate transaction.
      for (const { caller, entry, status, errorType } of call.refusals ?? [])
        await this.recordRefusal(caller, entry, status, errorType);
    }
  }

  private async inLateTransaction<T>(call: OauthCall, run: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    let opened: Promise<OauthWork> | undefined;
    const begin = async (): Promise<OauthWork> => {
      await runner.startTransaction();
      call.work = newWork(runner.manager);
      return call.work;
    };
    call.open = () => (opened ??= begin());
    try {
      const result = await run();
      if (opened !== undefined) {
        await this.finish(await opened);
        await runner.commitTransaction();
      }
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      throw error;
    } finally {
      call.open = undefined;
      call.work = null;
      await runner.release();
    }
  }

  /** Returns the transaction of a request that starts it only when it needs it. */
  async opened(): Promise<OauthWork> {
    const open = currentOauthCall()?.open;
    if (open === undefined) throw new Error('The request has no transaction of its own.');
    return open();
  }

  /**
   * Runs `run` after the statements that the request has already started, because the connection of
   * a transaction runs one statement at a time.
   */
  async inTurn<T>(run: () => Promise<T>): Promise<T> {
    const call = currentOauthCall();
    const work = call?.open === undefined ? call?.work : await call.open();
    if (!work) return run();
    const turn = work.turn.then(run);
    work.turn = turn.catch(() => undefined);
    return turn;
  }

  private async finish(work: OauthWork): Promise<void> {
    const { manager, removed } = work;
    for (const [caller, entries] of byCaller(work)) await this.audits.record(manager, caller, entries);
    await this.changes.record(manager, { removed });
  }

  /** Records a refusal in a separate transaction. */
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

const newWork = (manager: EntityManager): OauthWork => ({
  ...{ manager, audits: [], removed: [] },
  turn: Promise.resolve(),
});

function byCaller({ audits }: OauthWork): ReadonlyMap<AuditCaller, readonly AuditEntry[]> {
  const groups = new Map<AuditCaller, AuditEntry[]>();
  for (const { caller, entry } of audits) groups.set(caller, [...(groups.get(caller) ?? []), entry]);
  return groups;
}
