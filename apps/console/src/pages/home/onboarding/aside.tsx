import type { ReactElement } from 'react';
import { home } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Kbd } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';

/** Lists features that are on by default, and shortcuts. */
export function Aside(): ReactElement {
  return (
    <>
      <Pane title={home.already.title}>
        <ul className="home-already">
          {home.already.facts.map(([fact, detail]) => (
            <li key={fact} className="row">
              <Icon name="circleCheck" size={14} />
              <span>
                <b>{fact}</b>
                <br />
                <span className="sub">{detail}</span>
              </span>
            </li>
          ))}
        </ul>
      </Pane>
      <Pane title={home.keys.title}>
        <ul className="home-keys">
          {home.keys.rows.map(([keys, what]) => (
            <li key={keys} className="row">
              <Kbd keys={keys} /> <span className="sub">{what}</span>
            </li>
          ))}
        </ul>
      </Pane>
    </>
  );
}
