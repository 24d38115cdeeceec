import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPushToken, PUSH_BODY_BOUNDS, pushReceipt } from '@gw/a2a';
import { HEADER } from '@gw/contracts';
import { GatewayError, Shares, toGatewayError, type Keyring } from '@gw/kernel';
import { BodyReader } from '../../bodies/read-body';
import { refuse } from '../../http/own-responses';
import { registrationOf } from './push-address';
import type { PushAgents } from './push-agents';
import type { PushDelivery } from './push-delivery';
import type { PushStore } from './push-store';

export interface PushDoorParts {
  readonly ring: Keyring;
  readonly agents: PushAgents;
  readonly store: PushStore;
  readonly delivery: PushDelivery;
}

const TOKEN_HEADER = 'x-a2a-notification-token';
/** Maximum bytes of notifications in memory; workspaces share them. */
const MEMORY_BYTES = 67_108_864;
const BODY_IDLE_MS = 5_000;
const BODY_TOTAL_MS = 15_000;

/** Receives notifications of agents and passes them on to the clients that requested them. */
export class PushDoor {
  private readonly memory = new Shares(MEMORY_BYTES);

  constructor(private readonly parts: PushDoorParts) {}

  handle(id: string, req: IncomingMessage, res: ServerResponse, sealed: string): void {
    this.receive(req, sealed).then(
      () => {
        res.writeHead(202, [HEADER.requestId, id, 'content-length', '0']).end();
      },
      (error: unknown) => refuse(id, req, res, toGatewayError(error)),
    );
  }

  private async receive(req: IncomingMessage, sealed: string): Promise<void> {
    const { ring, store } = this.parts;
    const named = registrationOf(ring, sealed);
    const push = named === null ? null : await store.get(named.agentId, named.id);
    if (push === null) throw new GatewayError('not_found');
    const header = req.headers[TOKEN_HEADER];
    const token = typeof header === 'string' ? header : null;
    const tokenHash = Buffer.from(push.record.tokenHash, 'base64url');
    // Check the token before the body is read, so that no one else can fill the memory.
    if (!isPushToken(token, tokenHash))
      throw new GatewayError('api_key_invalid', { message: 'The token is wrong.' });
    const document = await this.parts.agents.of(push.record);
    if (document === null) {
      await store.remove(push);
      throw new GatewayError('not_found');
    }
    const { workspaceId } = push.record.owner;
    const share = this.memory.of(workspaceId, push.record.organisationId);
    let held = 0;
    try {
      const body = await read(req, (bytes) => {
        if (!share.take(bytes)) throw busy();
        held += bytes;
      });
      const { version } = push.record;
      const receipt = pushReceipt({ token, body }, { tokenHash, taskId: push.taskId, version });
      if (receipt.kind === 'refused') throw REFUSALS[receipt.status]();
      const delivered = await this.parts.delivery.deliver(push, document, receipt.event);
      if (delivered === 'foreign') throw new GatewayError('not_found');
      if (delivered === 'busy') throw busy();
    } finally {
      share.give(held);
    }
  }
}

const busy = (): GatewayError =>
  new GatewayError('unavailable', {
    message: 'Too many notifications of the workspace wait; retry later.',
    headers: { 'retry-after': '5' },
  });

const REFUSALS: Readonly<Record<400 | 401 | 404 | 413, () => GatewayError>> = {
  400: () => new GatewayError('body_invalid', { message: 'The body is no event of A2A.' }),
  401: () => new GatewayError('api_key_invalid', { message: 'The token is wrong.' }),
  404: () => new GatewayError('not_found'),
  413: () => new GatewayError('body_too_large'),
};

function read(req: IncomingMessage, reserveMemory: (bytes: number) => void): Promise<Buffer> {
  const { bytesMax } = PUSH_BODY_BOUNDS;
  const announced = req.headers['content-length'];
  const length = announced === undefined ? -1 : Number(announced);
  if (length > bytesMax) throw REFUSALS[413]();
  const options = { maxBytes: bytesMax, idleMs: BODY_IDLE_MS, totalMs: BODY_TOTAL_MS, minRate: 0 };
  return new Promise((resolve, reject) => {
    new BodyReader(req, length, options, { reserveMemory }, resolve, reject).start();
  });
}
