void print_models();

int main() { print_models(); }
