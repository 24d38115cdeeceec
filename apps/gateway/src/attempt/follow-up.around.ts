import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import type { GatewayResponse } from './gateway-response';
import type { AroundStage, AttemptCall, Next } from './attempt-call';
import type { BuiltRequest } from './request/request-builder';
import { reportResult } from './sender';

/** Maximum bytes of the first response, which the gateway reads whole. */
const FIRST_RESPONSE_MAX = 1_048_576;

/**
 * Makes the second call of a route that needs two, to the same provider and with the same
 * credential. When the first response is an error, it becomes the response. Throws
 * `provider_answer_invalid` when the first response cannot be read, and the errors of the route's
 * `followUp` rule.
 */
export class FollowUpAround implements AroundStage {
  isUsed({ context: { route, upgrade } }: AttemptCall): boolean {
    return route.followUp !== null && upgrade === null;
  }

  around(call: AttemptCall, next: Next): void {
    reportResult(call, this.makeBothCalls(call, next));
  }

  private async makeBothCalls(call: AttemptCall, next: Next): Promise<GatewayResponse> {
    const { context, built } = call;
    const { followUp, upstreamPath } = context.route;
    const response = await makeCall(call, built, next);
    if (followUp === null || response.error !== null || response.status >= 300) return response;
    const path = followUp(await objectOf(response));
    context.attempts.followed = path;
    const { request } = built;
    const mark = request.path.indexOf('?');
    // Search before the query, because a caller could repeat the path in it.
    const at = request.path.lastIndexOf(upstreamPath, mark === -1 ? undefined : mark - upstreamPath.length);
    const query = request.path.slice(at + upstreamPath.length);
    const second = { ...request, path: request.path.slice(0, at) + path + query };
    return makeCall(call, { ...built, request: second }, next);
  }
}

/** Makes one of the two calls. */
const makeCall = (call: AttemptCall, built: BuiltRequest, next: Next): Promise<GatewayResponse> =>
  new Promise((resolve, reject) => {
    const callStarted = (response: GatewayResponse): void => call.listener.callStarted(response);
    next.begin(call.with(built, { callStarted, responded: resolve, refused: reject }));
  });

async function objectOf(response: GatewayResponse): Promise<JsonObject> {
  try {
    return parseJsonObject(await bodyOf(response));
  } catch (cause) {
    throw new GatewayError('provider_answer_invalid', { cause });
  }
}

function bodyOf(response: GatewayResponse): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.attach({
      data(chunk) {
        size += chunk.length;
        if (size <= FIRST_RESPONSE_MAX) chunks.push(chunk);
        else response.call?.abort();
      },
      end() {
        resolve(Buffer.concat(chunks));
      },
      fail: reject,
    });
  });
}
