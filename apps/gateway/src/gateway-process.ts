import type { Log, ServerDrain } from '@gw/web';
import type { GatewaySettings } from './settings';

export interface GatewayProcess {
  readonly settings: GatewaySettings;
  readonly log: Log;
  /** 0 for the first process that shares the port. */
  readonly index: number;
  readonly gatewayId: string;
  readonly drain: ServerDrain;
}
