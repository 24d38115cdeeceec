import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import type { GatewayResponse } from './gateway-response';
import type { AroundStage, AttemptCall, Next } from './attempt-call';
import type { BuiltRequest } from './request/request-builder';
import { tellLater } from './sender';

/** A first answer is read whole, up to this many bytes. */
const FIRST_RESPONSE_MAX = 1_048_576;

/**
 * Makes the second call of a route that needs two, at the same provider and with the same credential. A first answer that is
 * an error is the answer. Throws `provider_answer_invalid` when the first can't be read, and what the route's rule throws.
 */
export class FollowUpAround implements AroundStage {
  isUsed({ context: { route, upgrade } }: AttemptCall): boolean {
    return route.followUp !== null && upgrade === null;
  }

  around(call: AttemptCall, next: Next): void {
    tellLater(this.both(call, next), call.listener);
  }

  private async both(call: AttemptCall, next: Next): Promise<GatewayResponse> {
    const { context, built } = call;
    const { followUp, upstreamPath } = context.route;
    const answer = await answered(call, built, next);
    if (followUp === null || answer.error !== null || answer.status >= 300) return answer;
    const path = followUp(await objectOf(answer));
    context.attempts.followed = path;
    const { request } = built;
    const at = request.path.lastIndexOf(upstreamPath);
    const query = request.path.slice(at + upstreamPath.length);
    const second = { ...request, path: request.path.slice(0, at) + path + query };
    return answered(call, { ...built, request: second }, next);
  }
}

/** Makes one of the two calls. */
const answered = (call: AttemptCall, built: BuiltRequest, next: Next): Promise<GatewayResponse> =>
  new Promise((resolve, reject) => {
    const begun = (answer: GatewayResponse): void => call.listener.begun(answer);
    next.begin(call.with(built, { begun, answered: resolve, refused: reject }));
  });

async function objectOf(answer: GatewayResponse): Promise<JsonObject> {
  try {
    return parseJsonObject(await bodyOf(answer));
  } catch (cause) {
    throw new GatewayError('provider_answer_invalid', { cause });
  }
}

function bodyOf(answer: GatewayResponse): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    answer.attach({
      data(chunk) {
        size += chunk.length;
        if (size <= FIRST_RESPONSE_MAX) chunks.push(chunk);
        else answer.call?.abort();
      },
      end() {
        resolve(Buffer.concat(chunks));
      },
      fail: reject,
    });
  });
}
