import type { SealMaker } from '../call';
import type { Target } from '../target';

/** Returns the maker of the seals of a provider of this dialect. */
export function makerOf({ provider }: Pick<Target, 'provider'>): SealMaker {
  switch (provider) {
    case 'x-ai':
      return 'xai';
    case 'openrouter':
      return 'openrouter';
    default:
      return 'openai';
  }
}
