import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import type { Answer } from './answer';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import type { BuiltRequest } from './request/request-builder';
import type { Route } from '../routes/route-table';
import { sent, tellLater, type AttemptSender } from './sender';
import { type AttemptListener } from './answer';

/** A first answer is read whole, up to this many bytes. */
const FIRST_ANSWER_MAX = 1_048_576;

/**
 * Makes the second call of a route that needs two, at the same provider and with the same credential. A first answer that is
 * an error is the answer. Throws `provider_answer_invalid` when the first can't be read, and what the route's rule throws.
 */
export class FollowUpSender implements AttemptSender {
  constructor(private readonly sender: AttemptSender) {}

  send(context: RequestContext, upstream: Upstream, built: BuiltRequest, listener: AttemptListener): void {
    const { followUp } = context.route;
    if (followUp === null) this.sender.send(context, upstream, built, listener);
    else tellLater(this.sendBoth(context, upstream, built, followUp, listener), listener);
  }

  private async sendBoth(
    context: RequestContext,
    upstream: Upstream,
    built: BuiltRequest,
    followUp: NonNullable<Route['followUp']>,
    listener: AttemptListener,
  ): Promise<Answer> {
    const answer = await sent(this.sender, context, upstream, built, listener);
    if (answer.error !== null || answer.status >= 300) return answer;
    const path = followUp(await objectOf(answer));
    context.attempts.followed = path;
    const { request } = built;
    const { upstreamPath } = context.route;
    const at = request.path.lastIndexOf(upstreamPath);
    const query = request.path.slice(at + upstreamPath.length);
    const second = { ...request, path: request.path.slice(0, at) + path + query };
    return sent(this.sender, context, upstream, { ...built, request: second }, listener);
  }
}

async function objectOf(answer: Answer): Promise<JsonObject> {
  try {
    return parseJsonObject(await bodyOf(answer));
  } catch (cause) {
    throw new GatewayError('provider_answer_invalid', { cause });
  }
}

function bodyOf(answer: Answer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    answer.attach({
      data(chunk) {
        size += chunk.length;
        if (size <= FIRST_ANSWER_MAX) chunks.push(chunk);
        else answer.call?.abort();
      },
      end() {
        resolve(Buffer.concat(chunks));
      },
      fail: reject,
    });
  });
}
