import type { KeyboardEvent, ReactElement } from 'react';

export interface RadioButtonsProps<Id extends string> {
  /** Accessible name of the group. */
  readonly label: string;
  readonly options: readonly (readonly [id: Id, name: string])[];
  /** Id of the chosen option; null when none is chosen. */
  readonly value: Id | null;
  readonly onChange: (id: Id) => void;
  readonly className: string;
  /** Class of each button. */
  readonly buttonClass: string;
}

/** Number of options by which a key moves the choice. */
const MOVES: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * Buttons of which one is chosen. As in any radio group, the chosen one is in the tab order, and
 * the arrow keys choose the next or the previous one.
 */
export function RadioButtons<Id extends string>(props: RadioButtonsProps<Id>): ReactElement {
  const { label, options, value, onChange, className, buttonClass } = props;
  const chosen = options.findIndex(([id]) => id === value);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const by = MOVES[event.key];
    const buttons = [...event.currentTarget.children] as HTMLElement[];
    const from = buttons.indexOf(event.target as HTMLElement);
    if (by === undefined || from < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const to = (from + by + options.length) % options.length;
    const [id] = options[to] ?? [];
    if (id !== undefined) onChange(id);
    buttons[to]?.focus();
  };
  return (
    <div role="radiogroup" aria-label={label} className={className} onKeyDown={onKeyDown}>
      {options.map(([id, name], at) => (
        <button
          key={id}
          type="button"
          role="radio"
          aria-checked={at === chosen}
          tabIndex={at === Math.max(0, chosen) ? 0 : -1}
          className={buttonClass}
          onClick={() => onChange(id)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
