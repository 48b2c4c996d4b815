import { Registry } from 'prom-client';

/** The numbers that the process counts about itself, in the form of Prometheus. */
export const METRICS = new Registry();
