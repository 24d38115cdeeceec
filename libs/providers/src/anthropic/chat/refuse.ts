export { unsupported as refuse } from '../../losses';
