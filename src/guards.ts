/** The guards of Lintel for other services (`lintel/guards`): the package `@lintel/guards`. */
export * from '../packages/guards/src/guards.js';
