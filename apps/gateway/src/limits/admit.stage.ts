import type { Accounts } from './accounts';
import type { RequestContext, Stage } from '../core/request-context';

/** The limits of the key, its workspace and their policies. Those of a target count where an attempt picks it. */
export class AdmitStage implements Stage {
  constructor(private readonly accounts: Accounts) {}

  run(context: RequestContext): void | Promise<void> {
    return this.accounts.admit(context);
  }
}
