import type { ReactElement } from 'react';
import { keys } from '../../../messages';
import { Note, TextButton } from '../../../ui/primitives';
import { numberAt, type Fields } from '../../fields/fields';
import { amountWords } from '../../fields/limit-words';
import { useKeysLikeIt } from './keys-like-it';
import type { NewKey } from './new-key';

const AMOUNT = 'usage_limits.credit_limit';
const MONTH_DAYS = 30;

interface LikenessNoteProps {
  readonly values: NewKey;
  readonly fields: Fields;
}

/** Rounds to two significant digits, because budgets are round numbers. */
const rounded = (amount: number): number => Number(amount.toPrecision(2));

/**
 * Shows the spending of similar keys, how long the budget would last at that rate, and a proposed
 * monthly budget.
 */
export function LikenessNote({ values, fields }: LikenessNoteProps): ReactElement | null {
  const like = useKeysLikeIt(values);
  const limit = numberAt(fields, AMOUNT);
  if (like === null || fields.valueOf('usage_limits.type') === 'tokens') return null;
  const { name, count, perDay } = like;
  const spends = amountWords('cost', rounded(perDay));
  const month = rounded(perDay * MONTH_DAYS);
  return (
    <Note
      action={
        limit === '' || limit === month ? undefined : (
          <TextButton onClick={() => fields.setValue(AMOUNT, month)}>
            {keys.likeUse(amountWords('cost', month))}
          </TextButton>
        )
      }
    >
      {name === null ? keys.likeMany(count, spends) : keys.likeOne(name, spends)}
      {limit === '' ? keys.likeEnd : keys.likeLasts(amountWords('cost', limit), Math.floor(limit / perDay))}
    </Note>
  );
}
