import type { ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { TextButton } from '../../../ui/primitives';
import { EXAMPLES, type Example } from './examples';

/** Links to example requests, shown while the draft is empty. */
export function ExamplesLine({ onChoose }: { readonly onChoose: (example: Example) => void }): ReactElement {
  return (
    <p className="row xs playground-wrap">
      {text.examples}
      {EXAMPLES.map((example) => (
        <TextButton key={example.id} onClick={() => onChoose(example)}>
          {text.exampleNames[example.id]}
        </TextButton>
      ))}
    </p>
  );
}
