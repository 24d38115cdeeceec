import { answerInvalid } from '../../values/tool-arguments';

const isNumber = (item: unknown): item is number => typeof item === 'number';

/**
 * Returns a vector of a provider's response. Throws `provider_answer_invalid` for anything but a
 * list of numbers.
 */
export function vectorOf(value: unknown): readonly number[] {
  const isVector = Array.isArray(value) && value.length > 0 && value.every(isNumber);
  if (!isVector) throw answerInvalid('An embedding is no list of numbers.');
  return value;
}
