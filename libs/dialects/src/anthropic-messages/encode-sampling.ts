import { pathOf, type CallMember, type JsonObject, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';

/** Smallest `top_p` that has no effect on models without sampling. */
const TOP_P_NEUTRAL = 0.99;
/** Smallest `top_p` with a thinking budget. */
const TOP_P_THINKING = 0.95;

/**
 * Encodes temperature, top_p and top_k as far as the model accepts them. `hasBudget` tells whether
 * thinking has a budget.
 */
export function encodeSampling(
  call: ModelCall,
  target: Target,
  losses: LossLedger,
  hasBudget: boolean,
): JsonObject {
  const { sampling } = target.capabilities;
  if (sampling === 'none') return withoutSampling(call, losses);
  const temperature = encodeTemperature(call, losses);
  const given: JsonObject = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(call.topP === undefined ? {} : { top_p: call.topP }),
    ...(call.topK === undefined ? {} : { top_k: call.topK }),
  };
  if (hasBudget) withThinking(call, given, losses);
  if (sampling === 'one' && 'temperature' in given && 'top_p' in given) withoutOne(call, given, losses);
  return given;
}

const refuse = (call: ModelCall, losses: LossLedger, member: CallMember, message: string): void => {
  losses.parameter(pathOf(call, member), message);
};

function withoutSampling(call: ModelCall, losses: LossLedger): JsonObject {
  const { temperature = 1, topP = 1, topK } = call;
  const message = (name: string): string => `The model takes no ${name}.`;
  if (temperature !== 1) refuse(call, losses, 'temperature', message('temperature'));
  if (topP < TOP_P_NEUTRAL) refuse(call, losses, 'topP', message('top_p'));
  if (topK !== undefined) refuse(call, losses, 'topK', message('top_k'));
  return {};
}

/** Encodes the temperature. The maximum is 1 at Anthropic and 2 in other dialects. */
function encodeTemperature(call: ModelCall, losses: LossLedger): number | undefined {
  const { temperature } = call;
  if (temperature === undefined || (temperature >= 0 && temperature <= 1)) return temperature;
  const nearest = temperature < 0 ? 0 : 1;
  const path = pathOf(call, 'temperature');
  losses.parameter(path, 'Anthropic takes a temperature of 0 to 1.', 'approximated', String(nearest));
  return nearest;
}

function withThinking(call: ModelCall, given: JsonObject, losses: LossLedger): void {
  if ('temperature' in given && given['temperature'] !== 1) {
    refuse(call, losses, 'temperature', 'With thinking, the model takes a temperature of 1 only.');
    delete given['temperature'];
  }
  if (call.topP !== undefined && call.topP < TOP_P_THINKING) {
    refuse(call, losses, 'topP', `With thinking, the model takes a top_p of ${String(TOP_P_THINKING)} to 1.`);
    delete given['top_p'];
  }
  if (call.topK !== undefined) {
    refuse(call, losses, 'topK', 'With thinking, the model takes no top_k.');
    delete given['top_k'];
  }
}

/**
 * Removes temperature or `top_p`: the one without effect, else `top_p`, which is recorded as a
 * loss.
 */
function withoutOne(call: ModelCall, given: JsonObject, losses: LossLedger): void {
  if (call.topP === 1) delete given['top_p'];
  else if (call.temperature === 1) delete given['temperature'];
  else {
    refuse(call, losses, 'topP', 'The model takes temperature or top_p, not both.');
    delete given['top_p'];
  }
}
