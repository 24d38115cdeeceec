import type { Log, ServerDrain } from '@gw/web';
import type { Faults } from './core/faults';
import type { GatewaySettings } from './settings';

export interface GatewayProcess {
  readonly settings: GatewaySettings;
  readonly log: Log;
  /** Index of the process among those that share the port, from 0. */
  readonly index: number;
  readonly gatewayId: string;
  readonly drain: ServerDrain;
  readonly faults: Faults;
}
