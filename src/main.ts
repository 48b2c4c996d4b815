import { defineApp } from './application/app-definition.js';
import { run } from './bootstrap/run.js';

void run(defineApp({}));
