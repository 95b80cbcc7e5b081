// Names of the browser that the compiler's library lacks, and of uPlot, which the page has beside the program.
declare const OffscreenCanvas: any;
type OffscreenCanvas = any;
type OffscreenCanvasRenderingContext2D = any;
declare const uPlot: any;
