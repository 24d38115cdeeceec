import { GATEWAY_VERSION, GatewayError, toGatewayError } from '@gw/kernel';
import { serviceTokenCheck, type HealthBoard, type ServerDrain } from '@gw/web';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendOwn, refuse } from '../http/own-responses';
import type { HealthView } from '../http/paths';

const SERVICE = { service: 'gateway', version: GATEWAY_VERSION } as const;

/** Serves the health routes of this process. */
export class HealthDoor {
  private readonly isOurs: (authorization: string | undefined) => boolean;

  constructor(
    private readonly board: HealthBoard,
    private readonly isReady: () => boolean,
    private readonly drain: Pick<ServerDrain, 'isAnnounced'>,
    serviceToken: string,
  ) {
    this.isOurs = serviceTokenCheck(serviceToken);
  }

  handle(view: HealthView, id: string, req: IncomingMessage, res: ServerResponse): void {
    this.respond(view, req).then(
      ([status, body]) => {
        sendOwn(id, req, res, Buffer.from(JSON.stringify(body)), status);
      },
      (error: unknown) => {
        refuse(id, req, res, toGatewayError(error));
      },
    );
  }

  private async respond(view: HealthView, req: IncomingMessage): Promise<readonly [number, object]> {
    if (req.method !== 'GET' && req.method !== 'HEAD')
      throw new GatewayError('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
    switch (view) {
      case 'live':
        return [200, { status: 'ok' }];
      case 'ready':
        if (this.drain.isAnnounced) return [503, { status: 'stopping', lacks: [] }];
        return this.isReady() ? [200, { status: 'ok' }] : [503, { status: 'down', lacks: ['read_model'] }];
      case 'words':
        return [200, { ...SERVICE, ...(await this.board.words()) }];
      case 'parts':
        if (!this.isOurs(req.headers.authorization)) throw new GatewayError('unauthenticated');
        return [200, { ...SERVICE, parts: await this.board.report() }];
    }
  }
}
