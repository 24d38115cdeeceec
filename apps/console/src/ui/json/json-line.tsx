import { useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { count } from '../format';
import { Icon } from '../icons/icon';
import type { JsonLine } from './json-lines';

/** Number of characters of a text that are shown before it is expanded. */
const SHOWN = 2000;

export interface JsonLineRowProps {
  readonly line: JsonLine;
  readonly isCollapsed: boolean;
  readonly onToggle: (pointer: string) => void;
}

/** One line of the tree: marker, key, value and comma. */
export function JsonLineRow({ line, isCollapsed, onToggle }: JsonLineRowProps): ReactElement {
  const { key, kind, size, type, isLast, pointer } = line;
  const canToggle = kind === 'open';
  return (
    <>
      <span className="json-marker">
        {canToggle && (
          <button
            type="button"
            tabIndex={-1}
            className="plain-button"
            aria-label={isCollapsed ? uiText.json.expand : uiText.json.collapse}
            onClick={() => onToggle(pointer)}
          >
            <Icon name={isCollapsed ? 'chevronRight' : 'chevronDown'} size={12} />
          </button>
        )}
      </span>
      {key !== null && <span className="json-key">{JSON.stringify(key)}: </span>}
      {kind === 'leaf' ? <Leaf line={line} /> : <span>{line.text}</span>}
      {!isLast && (kind !== 'open' || isCollapsed) && ','}
      {kind === 'open' && isCollapsed && (
        <span className="muted">
          {' '}
          {type === 'array' ? uiText.json.items(size) : uiText.json.members(size)}
        </span>
      )}
    </>
  );
}

function Leaf({ line: { text, type } }: { readonly line: JsonLine }): ReactElement {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > SHOWN && !isWhole;
  return (
    <span className={`json-${type}`}>
      {isCut ? `${text.slice(0, SHOWN)}…` : text}
      {isCut && (
        <button type="button" className="plain-button text-button" onClick={() => setWhole(true)}>
          {' '}
          {uiText.json.showAll(count(text.length))}
        </button>
      )}
    </span>
  );
}
