import { useState, type ReactElement, type Ref } from 'react';
import { uiText } from '../../messages/en/ui';
import type { Filter } from '../../url';
import { Icon } from '../icons/icon';
import { exampleOf, type FilterField } from './fields';
import { joinFilters, parseFilterText } from './filter-text';

export interface TextBoxProps {
  readonly ref: Ref<HTMLInputElement>;
  readonly fields: readonly FilterField[];
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
  readonly text: string | undefined;
  readonly onText: ((text: string) => void) | undefined;
  readonly textOff: string | undefined;
}

/**
 * Text box for filters and search. Enter turns `field:value` into chips; the rest becomes the
 * search text.
 */
export function TextBox(props: TextBoxProps): ReactElement {
  const { ref, fields, filters, onChange, text = '', onText, textOff } = props;
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  const [problem, setProblem] = useState<string | null>(null);
  if (shown !== text) {
    setShown(text);
    setTyped(text);
  }
  const submit = (): void => {
    const read = parseFilterText(typed, fields);
    const canSearch = onText !== undefined && textOff === undefined;
    const problems = [
      ...read.problems.map(uiText.filters.broken),
      ...(read.text !== '' && !canSearch ? [textOff ?? uiText.filters.noText] : []),
    ];
    setProblem(problems.length === 0 ? null : problems.join(' '));
    if (read.filters.length > 0) onChange(joinFilters(filters, read.filters));
    if (canSearch && read.text !== text) onText(read.text);
    setTyped([...read.problems, read.text].filter((part) => part !== '').join(' '));
  };
  return (
    <span className="filter-text">
      <Icon name="search" size={14} />
      <input
        ref={ref}
        type="search"
        aria-label={uiText.filters.text}
        aria-invalid={problem !== null || undefined}
        placeholder={uiText.filters.placeholder(onText !== undefined, exampleOf(fields))}
        title={textOff}
        value={typed}
        maxLength={1000}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setProblem(null);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') submit();
          else if (event.key === 'Escape') {
            setTyped(text);
            setProblem(null);
            event.currentTarget.blur();
          } else return;
          event.preventDefault();
        }}
      />
      {problem === null ? null : (
        <span className="filter-text-problem" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
