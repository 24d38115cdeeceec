import type { Ledger, LedgerStore } from '@gw/limits';
import type { HealthBoard, ServerDrain } from '@gw/web';
import type { Pipeline, PipelineStages } from '../core/pipeline';
import { HealthDoor } from '../health/health-door';
import { OwnLimits } from '../limits/own-limits';
import type { Agents } from '../agents/create-agents';
import type { Mcp } from '../mcp/create-mcp';
import { listOf, type GatewaySettings } from '../settings';
import type { ControlPlaneProxy } from './control-plane/control-plane-proxy';
import { consoleOrigins, Cors } from './cors';
import { FrontDoor } from './front-door';

export interface DoorParts {
  readonly settings: GatewaySettings;
  readonly drain: Pick<ServerDrain, 'isAnnounced'>;
  readonly health: { isReady(): boolean };
  readonly board: HealthBoard;
  readonly ledger: Ledger;
  /** Store from which burn rates are read; null when they are not known. */
  readonly balances: LedgerStore | null;
  readonly pipeline: Pipeline;
  readonly controlPlane: ControlPlaneProxy;
  readonly stages: Pick<PipelineStages, 'accept' | 'authenticate'>;
  readonly mcp: Mcp;
  readonly agents: Agents;
}

/** Creates the front door, which receives all requests. */
export function createDoor(parts: DoorParts): FrontDoor {
  const { settings, drain, health, board, ledger, balances, pipeline, controlPlane, stages, mcp, agents } =
    parts;
  const healthDoor = new HealthDoor(board, () => health.isReady(), drain, settings.SERVICE_TOKEN);
  const cors = new Cors([...listOf(settings.CORS_ALLOWED_ORIGINS), ...consoleOrigins(settings.CONSOLE_URL)]);
  const ownLimits = new OwnLimits(ledger, balances, stages.accept, stages.authenticate);
  return new FrontDoor(pipeline, controlPlane, healthDoor, cors, ownLimits, mcp.door, agents.door);
}
