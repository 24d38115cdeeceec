import type { Accounts } from './accounts';
import type { RequestContext, Stage } from '../core/request-context';

/**
 * Reserves in the limits of the key, its workspace and their policies. The limits of a target are
 * reserved when an attempt selects it.
 */
export class AdmitStage implements Stage {
  constructor(private readonly accounts: Accounts) {}

  run(context: RequestContext): void | Promise<void> {
    return this.accounts.admit(context);
  }
}
