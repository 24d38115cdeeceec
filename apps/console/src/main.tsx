import './app/mantine-styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './app/console';

const root = document.getElementById('root');
const nonce = document.querySelector<HTMLMetaElement>('meta[name="console-nonce"]')?.content ?? '';
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Console basepath={new URL(document.baseURI).pathname} nonce={nonce} />
    </StrictMode>,
  );
