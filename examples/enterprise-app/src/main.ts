import { run } from 'lintel';
import { definition } from './definition.js';

await run(definition);
