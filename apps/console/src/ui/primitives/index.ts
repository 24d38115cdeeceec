export { CopyButton, Id, useCopy, type CopyButtonProps } from './copy';
export { FormatProvider, useFormat, type FormatProviderProps, type FormatSettings } from './format-context';
export { announce } from './live-region';
export {
  Badge,
  Dot,
  Kbd,
  KeyValues,
  Note,
  ProviderMark,
  StatusBadge,
  TextButton,
  toneOfStatus,
  type BadgeProps,
  type KeyValuesProps,
  type NoteProps,
  type TextButtonProps,
  type Tone,
} from './marks';
export { Moment, useNow, type MomentProps } from './moment';
export { Money, type MoneyProps, type Priced } from './money';
export { RadioButtons, type RadioButtonsProps } from './radio-buttons';
export { Count, Delta, Duration, Percent, Tokens, type DeltaProps, type TokensProps } from './values';
