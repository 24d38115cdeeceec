import { useMemo, type ReactElement } from 'react';
import { VirtualLines } from './virtual-lines';

export interface TextLinesProps {
  readonly text: string;
  readonly label: string;
  readonly maxHeight?: number;
}

/** Shows a text with line numbers; virtualised above 2,000 lines. */
export function TextLines({ text, label, maxHeight = 560 }: TextLinesProps): ReactElement {
  const lines = useMemo(() => text.split(/\r?\n/), [text]);
  return (
    <VirtualLines
      count={lines.length}
      maxHeight={maxHeight}
      container={{ role: 'region', 'aria-label': label, tabIndex: 0 }}
      line={(index) => ({
        props: { className: 'text-line' },
        content: (
          <>
            <span className="text-number" aria-hidden="true">
              {index + 1}
            </span>
            <span className="text-content">{lines[index]}</span>
          </>
        ),
      })}
    />
  );
}
