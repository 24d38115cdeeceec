// Texts that pages import from here: `import { limits } from '../../messages'`. Texts that are not
// listed, such as those of the logs page, are imported from their own file, so that they load with
// it: `'../../messages/en/logs'`.
export { access } from './en/access';
export { audit } from './en/audit';
export { conflict } from './en/conflict';
export { connect } from './en/connect';
export { errors } from './en/errors';
export { factors } from './en/factors';
export { forms } from './en/forms';
export { home } from './en/home';
export { me } from './en/me';
export { models } from './en/models';
export { needs } from './en/needs';
export { pageNames } from './en/page-names';
export { keys } from './en/keys';
export { limits } from './en/limits';
export { playground } from './en/playground';
export { plural } from './plural';
export { providers } from './en/providers';
export { session } from './en/session';
export { shell } from './en/shell';
