import type { ModelCall } from '../call';
import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import { encodeChatCall } from '../openai-chat/encode-call';
import type { Target } from '../target';
import { MISTRAL_FORM, withTraits } from './form';

export const encodeCall = (call: ModelCall, target: Target, losses: LossLedger): ProviderCall =>
  encodeChatCall(call, withTraits(target), losses, MISTRAL_FORM);
