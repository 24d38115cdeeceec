import type { KeyboardEvent, ReactElement } from 'react';

export interface ListInputProps {
  /** Id of the list below; its options have ids that end with `-` and their index. */
  readonly listId: string;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly maxLength?: number;
  readonly onType: (value: string) => void;
  /** Index of the active option; -1 without options. */
  readonly active: number;
  /** Number of options. */
  readonly length: number;
  readonly onActive: (index: number) => void;
  /** Handles a key that does not move the active option; returns whether it did. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** A text box over a list of options, whose active one the arrow keys move. */
export function ListInput(props: ListInputProps): ReactElement {
  const { listId, active, length, onActive } = props;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') onActive(Math.min(length - 1, active + 1));
    else if (event.key === 'ArrowUp') onActive(Math.max(0, active - 1));
    else if (!props.onKey(event)) return;
    event.preventDefault();
  };
  return (
    <input
      // It opens by a key or click of the user.
      autoFocus
      className="filter-input"
      role="combobox"
      aria-expanded="true"
      aria-controls={listId}
      aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
      aria-label={props.label}
      placeholder={props.placeholder}
      value={props.value}
      maxLength={props.maxLength}
      onChange={(event) => props.onType(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
