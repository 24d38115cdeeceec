import type { AroundStage, AttemptCall, Next } from '../attempt/attempt-call';
import type { AttemptListener, GatewayResponse } from '../attempt/gateway-response';
import { valueOf } from '../http/header-rules';
import type { CloudCredentials } from './cloud-credentials';

/**
 * Repeats a call once with a new credential when the provider refuses one that a token service has
 * issued: it may have been revoked before its end.
 */
export class RenewalAround implements AroundStage {
  constructor(private readonly credentials: CloudCredentials) {}

  isUsed({ context: { upgrade } }: AttemptCall): boolean {
    return upgrade === null;
  }

  around(call: AttemptCall, next: Next): void {
    if (call.upstream.credential.issued === undefined) next.begin(call);
    else this.begin(call, next);
  }

  private begin(call: AttemptCall, next: Next): void {
    const { listener } = call;
    const first: AttemptListener = {
      callStarted: (response) => listener.callStarted(response),
      refused: (thrown) => listener.refused(thrown),
      ...(listener.isApart === undefined ? {} : { isApart: listener.isApart }),
      responded: (response) => {
        if (isRefusal(response)) this.again(call, response, listener, next);
        else listener.responded(response);
      },
    };
    call.listener = first;
    next.begin(call);
  }

  private again(call: AttemptCall, response: GatewayResponse, listener: AttemptListener, next: Next): void {
    const renewed = this.renewed(call);
    if (renewed === null) {
      listener.responded(response);
      return;
    }
    response.call?.abort();
    renewed
      .then((upstream) => {
        call.upstream = upstream;
        call.listener = listener;
        next.begin(call);
      })
      .catch((thrown: unknown) => listener.refused(thrown));
  }

  /**
   * Returns the upstream with a new credential; null if the credential is not the reason of the
   * refusal.
   */
  private renewed({ context, upstream }: AttemptCall) {
    try {
      const renewed = this.credentials.renew(context, upstream);
      return renewed === null ? null : Promise.resolve(renewed);
    } catch (thrown) {
      return Promise.reject(
        thrown instanceof Error ? thrown : new Error('The renewal failed.', { cause: thrown }),
      );
    }
  }
}

/**
 * Error types of expired and unknown AWS keys. AWS does not respond with 401, but names the reason
 * in a header.
 */
const OVER = /^(?:ExpiredToken|UnrecognizedClient|InvalidClientTokenId)/;

const isRefusal = ({ status, headers }: GatewayResponse): boolean =>
  status === 401 || (status === 403 && OVER.test(valueOf(headers, 'x-amzn-errortype') ?? ''));
