import type { RequestContext, Stage } from '../core/request-context';
import { UpgradeResponse } from './handshake';
import type { Sessions } from './sessions';

/**
 * Starts a session once the provider has accepted the upgrade; any other response is left to the
 * reply stage.
 */
export class SessionStage implements Stage {
  constructor(private readonly sessions: Sessions) {}

  run(context: RequestContext): void {
    const { response } = context;
    if (response instanceof UpgradeResponse && response.peer !== null)
      this.sessions.begin(context, response, response.peer);
  }
}
