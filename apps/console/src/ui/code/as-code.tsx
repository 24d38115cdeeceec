import { useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { Icon } from '../icons/icon';
import { CopyButton } from '../primitives/copy';
import { saveFile } from '../save-file';

/** One form of code: YAML, curl or the command line. */
export interface CodeForm {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** File name of the download; absent for no download. */
  readonly file?: string;
  /** Text that is copied and downloaded instead of `text`, which can show or mask a secret. */
  readonly copied?: string;
}

export interface AsCodeProps {
  /** Accessible name of the code. */
  readonly label: string;
  readonly forms: readonly CodeForm[];
  /** Id of the initial form. */
  readonly initial?: string;
  readonly maxHeight?: number;
}

/** Shows code in several forms, with *Copy* and *Download*. */
export function AsCode({ label, forms, initial, maxHeight = 420 }: AsCodeProps): ReactElement | null {
  const [chosen, setChosen] = useState(initial ?? forms[0]?.id);
  const form = forms.find(({ id }) => id === chosen) ?? forms[0];
  if (form === undefined) return null;
  return (
    <div className="as-code" role="group" aria-label={label}>
      <div className="row">
        <div role="radiogroup" aria-label={uiText.code.form} className="range-picker-segments range-picker">
          {forms.map(({ id, label: name }) => (
            <button
              key={id}
              type="button"
              role="radio"
              aria-checked={id === form.id}
              className="range-segment"
              onClick={() => setChosen(id)}
            >
              {name}
            </button>
          ))}
        </div>
        <span className="right row">
          {form.file === undefined ? null : <Download text={form.copied ?? form.text} file={form.file} />}
          <CopyButton text={form.copied ?? form.text} label={uiText.copy.button()} what={form.label} />
        </span>
      </div>
      <pre className="code-well as-code-text" tabIndex={0} style={{ maxHeight }}>
        {form.text}
      </pre>
    </div>
  );
}

function Download({ text, file }: { readonly text: string; readonly file: string }): ReactElement {
  return (
    <button type="button" className="copy-button copy-button-small" onClick={() => saveFile(file, text)}>
      <Icon name="download" size={14} /> {uiText.code.download(file)}
    </button>
  );
}
